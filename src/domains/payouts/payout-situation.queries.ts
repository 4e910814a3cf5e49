import { APPROVAL_TIMING } from '../../contracts/approvals.ts';
import type { AttemptOutcome } from '../../contracts/payouts.ts';
import { type PayoutHold, payoutSituation } from '../../contracts/situations/payout.ts';
import { shownSituation } from '../../contracts/situations/situation.ts';
import { decideByAfter } from '../../contracts/workflows/payouts.ts';
import { after } from '../../platform/clock.ts';
import type { Context } from '../../platform/context.ts';
import { sql, toIsoOrNull } from '../../platform/database/sql.ts';
import type { PayoutRecord } from './payout-record.wire.ts';
import { holdOf } from './payout-state.queries.ts';
import { type PayoutLike, toPayout } from './payouts.wire.ts';

/** Of the latest attempt of a `payout` that is being paid. */
const whileSending = (column: 'outcome' | 'send_count') =>
  sql`case when payout.status = 'processing' then (
    select t.${sql.ref(column)} from payout_attempt t where t.payout_id = payout.id order by t.n desc limit 1) end`;

/** What the situation of a `payout` needs besides the columns that the API shows. Nothing is read about one that is final. */
export const SITUATION = [
  'attentionSince',
  holdOf(sql`payout`).as('onHold'),
  sql<AttemptOutcome | null>`${whileSending('outcome')}`.as('attemptOutcome'),
  sql<number | null>`${whileSending('send_count')}`.as('sendCount'),
] as const;

type Row = PayoutLike & {
  attentionSince: string | null;
  onHold: PayoutHold | null;
  attemptOutcome: AttemptOutcome | null;
  sendCount: number | null;
};

/** With its situation. */
export const toPayoutRecord = (row: Row, { settings }: Pick<Context, 'settings'>): PayoutRecord => {
  const payout = toPayout(row);
  const { status, approvalRequiredAt, approvedAt } = payout;
  const expiresAfterMs = settings.scaled(APPROVAL_TIMING.expireAfterMs);
  const situation = payoutSituation({
    ...payout,
    awaitsApproval: status === 'pending' && approvalRequiredAt !== null && approvedAt === null,
    onHold: row.onHold,
    attemptOutcome: row.attemptOutcome,
    approveBy: approvalRequiredAt && after(new Date(approvalRequiredAt), expiresAfterMs).toISOString(),
    decideBy: decideByAfter(toIsoOrNull(row.attentionSince))?.toISOString() ?? null,
  });
  return { ...payout, sendCount: row.sendCount, situation: shownSituation(situation) };
};
