import type { Reason } from '../../contracts/error-codes.ts';
import type { PayoutRunStatus } from '../../contracts/payout-runs.ts';

/** Everything that decides what may happen to a run. */
export interface RunState {
  status: PayoutRunStatus;
  /** Nobody confirms or approves it any more after its deadline: its workflow cancels it. */
  isInTime: boolean;
}

/** What happens to a run. The last two are its workflow's. */
export type RunInput =
  /** Somebody leaves an affiliate out of the draft. */
  | { type: 'take_out' }
  | { type: 'confirm'; needsApproval: boolean }
  | { type: 'approve' }
  | { type: 'pause' }
  | { type: 'resume' }
  /** `isOrphaned`: whoever made it may not pay any more. */
  | { type: 'cancel'; isOrphaned?: true }
  | { type: 'expire' }
  | { type: 'complete' };

/** The status from now on, null when it stays; or why the API answers 409. */
export type RunDecision =
  | { next: PayoutRunStatus | null }
  | { refused: Reason; message: string; transition?: { from: PayoutRunStatus; to: PayoutRunStatus } };

type Rule = (state: RunState) => RunDecision;

/** The rules of a run. Pure: the same state and input give the same decision. */
export const decideRun = (state: RunState, input: RunInput): RunDecision =>
  input.type === 'confirm' ? confirm(state, input.needsApproval) : RULES[input.type](state);

const confirm = ({ status, isInTime }: RunState, needsApproval: boolean): RunDecision => {
  if (status !== 'draft') return NOT_DRAFT;
  return isInTime ? { next: needsApproval ? 'awaiting_approval' : 'running' } : illegal(status, 'running', TOO_LATE);
};

/** From the statuses that `from` names; repeated, it changes nothing. */
const moves =
  (from: readonly PayoutRunStatus[], to: PayoutRunStatus, message?: string): Rule =>
  ({ status }) => {
    if (from.includes(status)) return { next: to };
    return status === to && message === undefined ? UNCHANGED : illegal(status, to, message);
  };

const illegal = (
  from: PayoutRunStatus,
  to: PayoutRunStatus,
  message = `A run that is ${from} cannot become ${to}`,
): RunDecision => ({ refused: 'ILLEGAL_TRANSITION', message, transition: { from, to } });

const UNCHANGED: RunDecision = { next: null };
const NOT_DRAFT: RunDecision = { refused: 'NOT_DRAFT', message: 'The run is not a draft any more' };
const TOO_LATE = 'The time to decide about the run is over';

const RULES: Readonly<Record<Exclude<RunInput['type'], 'confirm'>, Rule>> = {
  take_out: ({ status }) => (status === 'draft' ? UNCHANGED : NOT_DRAFT),
  approve: ({ status, isInTime }) => {
    if (status !== 'awaiting_approval') return illegal(status, 'running', 'The run does not wait for approval');
    return isInTime ? { next: 'running' } : illegal(status, 'running', TOO_LATE);
  },
  pause: moves(['running'], 'paused'),
  resume: moves(['paused'], 'running', 'Only a paused run can be resumed'),
  cancel: moves(['draft', 'awaiting_approval', 'running', 'paused'], 'cancelled'),
  expire: ({ status, isInTime }) =>
    (status === 'draft' || status === 'awaiting_approval') && !isInTime ? { next: 'cancelled' } : UNCHANGED,
  complete: moves(['running', 'paused'], 'completed'),
};
