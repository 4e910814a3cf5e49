import type { OperationSuccess } from '../../../api/pipeline/call-operation.ts';
import type { LeftOutReason, PayoutRunStatus, RunCancelReason } from '../../../contracts/payout-runs.ts';
import { FAILURE_TEXTS } from '../../../contracts/workflows/payout.texts.ts';
import { upperFirst } from '../../../contracts/workflows/text.ts';
import type { Tone } from '../../components/blocks.ts';
import type { PageCall } from '../../page.ts';

export type RunData = OperationSuccess<'getPayoutRun'>['data'];
type Run = OperationSuccess<'listPayoutRuns'>['data'][number];

export interface RunState {
  label: string;
  tone: Tone;
  text: string;
}

const CANCELLED: Readonly<Record<RunCancelReason, string>> = {
  person: 'A person cancelled it.',
  draft_expired: 'Nobody confirmed it in time.',
  approval_refused: 'The approval was refused.',
  approval_expired: 'Nobody approved it in time.',
};

const STATES: Readonly<Record<PayoutRunStatus, RunState>> = {
  draft: {
    label: 'Draft',
    tone: 'warning',
    text: 'Nothing is promised. Look at who is paid and who is not, then confirm it.',
  },
  awaiting_approval: {
    label: 'Waits for approval',
    tone: 'warning',
    text: 'A second person has to approve it: somebody who did not draft, edit or confirm it.',
  },
  running: { label: 'Running', tone: 'neutral', text: 'Payouts are created and carried out.' },
  paused: { label: 'Paused', tone: 'warning', text: 'No payout is created, and none that was created is begun.' },
  completed: { label: 'Completed', tone: 'good', text: 'All payouts are final.' },
  cancelled: { label: 'Cancelled', tone: 'neutral', text: 'No further payout is created.' },
};

export const runStateOf = ({ status, cancelReason }: Run): RunState => {
  const state = STATES[status];
  return cancelReason === null ? state : { ...state, text: `${CANCELLED[cancelReason]} ${state.text}` };
};

/** Why an affiliate is not paid, and what would change it. */
export const LEFT_OUT_TEXTS: Readonly<Record<LeftOutReason, string>> = {
  AFFILIATE_BLOCKED: 'Blocked',
  AMOUNT_ROSE: 'More is payable than the draft shows: in the next run',
  BELOW_THRESHOLD: 'Below the smallest payout',
  DETAILS_CHANGED: 'Payout details changed since the draft: in the next run',
  DETAILS_JUST_CHANGED: 'Payout details were changed a short time ago',
  DETAILS_REJECTED: 'Payout details were refused: the affiliate has to change or confirm them',
  HELD_BY_DISPUTE: 'Held by a dispute',
  HELD_BY_FLAG: 'Held by a flag that nobody has decided on',
  NOTHING_PAYABLE: 'Nothing is payable any more',
  PAYOUTS_PAUSED: 'Payouts to the affiliate are paused',
  PAYOUT_DETAILS_MISSING: 'The affiliate has entered no payout details',
  PAYOUT_IN_FLIGHT: 'Another payout to the affiliate is not final',
  RAIL_CANNOT_PAY: 'The provider does not pay this currency, country, amount or account',
  RUN_CANCELLED: 'The run was cancelled first',
  SAME_ACTOR:
    'Whoever approved the run had entered the account, the sale, the bonus or the percent: somebody else pays it in the next run',
  TAKEN_OUT: 'Taken out of the draft',
  UNRESOLVED_PAYOUT: 'A payout to the affiliate has to be resolved first',
};

/** Codes of failed payouts are an open set. */
export const reasonText = (code: string): string =>
  (LEFT_OUT_TEXTS as Readonly<Record<string, string>>)[code] ?? upperFirst(FAILURE_TEXTS[code] ?? code.replaceAll('_', ' '));

/** "$20.00 and €5.00"; amounts are never summed across currencies. */
export const totalText = (total: Readonly<Record<string, number>>, { format }: Pick<PageCall, 'format'>): string =>
  Object.entries(total)
    .map(([currency, amount]) => format.money(amount, currency))
    .join(' and ') || '–';

/** Totals of a run by currency. */
export const sumOf = (totals: RunData['totals']): { items: number; total: Record<string, number> } => {
  const total: Record<string, number> = {};
  for (const { currency, amount } of totals) total[currency] = (total[currency] ?? 0) + amount;
  return { items: totals.reduce((sum, { items }) => sum + items, 0), total };
};

export const runName = ({ name, createdAt }: Pick<Run, 'name' | 'createdAt'>, { format }: Pick<PageCall, 'format'>): string =>
  name ?? `Run of ${format.companyDay(createdAt)}`;

export const isUnfinished = ({ status }: Pick<Run, 'status'>): boolean => status !== 'completed' && status !== 'cancelled';
