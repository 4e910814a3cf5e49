import { APPROVAL_TIMING } from '../../contracts/approvals.ts';
import type { AttemptOutcome } from '../../contracts/payouts.ts';
import type { AtProvider } from '../../contracts/rails.ts';
import { type MyPayoutSituation, situationForAffiliate } from '../../contracts/situations/my-payout.ts';
import { type PayoutHold, type PayoutSituation, payoutSituation } from '../../contracts/situations/payout.ts';
import { shownSituation } from '../../contracts/situations/situation.ts';
import { decideByAfter } from '../../contracts/workflows/payouts.ts';
import { after } from '../../platform/clock.ts';
import type { Context } from '../../platform/context.ts';
import { sql, toIsoOrNull } from '../../platform/database/sql.ts';
import type { PayoutRecord } from './payout-record.wire.ts';
import { AT_PROVIDER, holdOf } from './payout-state.queries.ts';
import { type PayoutLike, type PayoutView, toPayout } from './payouts.wire.ts';

/** A column of the latest attempt of a `payout` that is being paid. */
const whileSending = (column: 'outcome' | 'send_count') =>
  sql`case when payout.status = 'processing' then (
    select t.${sql.ref(column)} from payout_attempt t where t.payout_id = payout.id order by t.n desc limit 1) end`;

/** Where the provider has a `payout` that it accepted. */
const atProvider = sql<AtProvider | null>`case when payout.status = 'processing' then (
    select ${AT_PROVIDER} from payout_attempt t where t.payout_id = payout.id order by t.n desc limit 1) end`;

/** The newest payout of an affiliate, with what its situation is computed of. */
export interface NewestPayout extends SituationFacts {
  id: string;
  amount: number;
  createdAt: string;
}

/** The newest payout of an affiliate `a`, as JSON: a part of the statement that lists memberships. */
export const newestPayoutOf = () =>
  sql<NewestPayout | null>`(select jsonb_build_object('id', payout.id, 'amount', payout.amount, 'createdAt', payout.created_at,
      'status', payout.status, 'rail', payout.rail, 'needsAttention', payout.needs_attention, 'reviewReason', payout.review_reason,
      'railReason', payout.rail_reason, 'failureCode', payout.failure_code, 'approvalRequiredAt', payout.approval_required_at,
      'approvedAt', payout.approved_at, 'attentionSince', payout.attention_since, 'onHold', ${holdOf(sql`payout`)},
      'attemptOutcome', ${whileSending('outcome')}, 'atProvider', ${atProvider})
    from (select * from payout where affiliate_id = a.id order by created_at desc, id desc limit 1) as payout)`;

/** What the situation of a `payout` needs besides the columns that the API shows. For one that ended, only its retry is read. */
export const SITUATION = [
  'attentionSince',
  holdOf(sql`payout`).as('onHold'),
  sql<AttemptOutcome | null>`${whileSending('outcome')}`.as('attemptOutcome'),
  atProvider.as('atProvider'),
  sql<number | null>`${whileSending('send_count')}`.as('sendCount'),
  sql<string | null>`case when payout.status = 'failed' then (select r.id from payout r where r.retry_of = payout.id) end`.as(
    'retriedBy',
  ),
  sql<string | null>`case when payout.status = 'failed' then (select now.payout_id from payout_item i
    join payout_item now on now.kind = i.kind and now.subject_id = i.subject_id and now.active
    where i.payout_id = payout.id limit 1) end`.as('replacedBy'),
] as const;

interface Situated {
  attentionSince: string | null;
  onHold: PayoutHold | null;
  attemptOutcome: AttemptOutcome | null;
  atProvider: AtProvider | null;
}

export type SituatedRow = PayoutLike &
  Situated & { sendCount: number | null; retriedBy: string | null; replacedBy: string | null };

/** What the situation is computed from. */
export type SituationFacts = Situated &
  Pick<
    PayoutView,
    'status' | 'rail' | 'needsAttention' | 'reviewReason' | 'railReason' | 'failureCode' | 'approvalRequiredAt' | 'approvedAt'
  >;

type WithSettings = Pick<Context, 'settings'>;

const situationIn = ({ attentionSince, ...payout }: SituationFacts, { settings }: WithSettings): PayoutSituation => {
  const { status, approvalRequiredAt, approvedAt } = payout;
  const expiresAfterMs = settings.scaled(APPROVAL_TIMING.expireAfterMs);
  return payoutSituation({
    ...payout,
    awaitsApproval: status === 'pending' && approvalRequiredAt !== null && approvedAt === null,
    approveBy: approvalRequiredAt && after(new Date(approvalRequiredAt), expiresAfterMs).toISOString(),
    decideBy: decideByAfter(toIsoOrNull(attentionSince))?.toISOString() ?? null,
  });
};

/** Adds its situation. */
export const toPayoutRecord = (row: SituatedRow, ctx: WithSettings): PayoutRecord => {
  const payout = toPayout(row);
  const { sendCount, retriedBy, replacedBy, attentionSince, onHold, attemptOutcome, atProvider } = row;
  const situation = situationIn({ ...payout, attentionSince, onHold, attemptOutcome, atProvider }, ctx);
  return { ...payout, sendCount, retriedBy, replacedBy, situation: shownSituation(situation) };
};

/** The situation as the affiliate sees it. */
export const mySituationOf = (facts: SituationFacts, ctx: WithSettings): MyPayoutSituation =>
  situationForAffiliate(situationIn(facts, ctx), facts);
