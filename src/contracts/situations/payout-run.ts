import { type PayoutRunStatus, RUN_CANCEL_REASONS, type RunCancelReason } from '../payout-runs.ts';
import type { Situation } from './situation.ts';

export const RUN_STATES = ['draft', 'to_approve', 'running', 'paused', 'completed', 'cancelled'] as const;
export type RunStateName = (typeof RUN_STATES)[number];

const IN_PROGRESS = ['payouts_stuck', 'payouts_to_decide', 'account_failing', 'payouts_to_pay'] as const;
export type RunReason = RunCancelReason | (typeof IN_PROGRESS)[number];
export const RUN_REASONS: readonly RunReason[] = [...IN_PROGRESS, ...RUN_CANCEL_REASONS];

export const RUN_NEXT = ['confirm', 'approve', 'resume', 'read_log', 'decide_payouts', 'check_account', 'pay_manually'] as const;
export type RunNext = (typeof RUN_NEXT)[number];

export const RUN_ACTIONS = ['confirm', 'approve', 'pause', 'resume', 'cancel', 'process', 'complete'] as const;
export type RunAction = (typeof RUN_ACTIONS)[number];

export type RunSituation = Situation<RunStateName, RunReason, RunNext, RunAction>;

/** What decides on the situation of a payout run. */
export interface RunFacts {
  status: PayoutRunStatus;
  cancelReason: RunCancelReason | null;
  /** ISO time until when a person has to confirm or approve it; null when nobody has to. */
  decideBy: string | null;
  /** Whether payouts of it cannot be created because of an error of ours. */
  isStuck: boolean;
  /** Whether payouts of it need a decision. */
  needsAttention: boolean;
  /** Whether it pays from an account that cannot pay now: a draft cannot be confirmed, and a run creates no more payouts. */
  isAccountFailing?: boolean;
  /** Whether payouts of it are open that a person pays. */
  hasManual: boolean;
}

type Part = Pick<RunSituation, 'state' | 'actions'> & Partial<RunSituation>;
const situation = (part: Part): RunSituation => ({ reason: null, waitsFor: 'nobody', until: null, next: null, ...part });

const running = ({ isStuck, needsAttention, isAccountFailing, hasManual }: RunFacts): RunSituation => {
  const state = 'running';
  const actions = ['pause', 'cancel', ...(hasManual ? (['process', 'complete'] as const) : [])] as const;
  if (isStuck) return situation({ state, reason: 'payouts_stuck', waitsFor: 'operator', next: 'read_log', actions });
  if (needsAttention)
    return situation({ state, reason: 'payouts_to_decide', waitsFor: 'finance', next: 'decide_payouts', actions });
  if (isAccountFailing)
    return situation({ state, reason: 'account_failing', waitsFor: 'finance', next: 'check_account', actions });
  if (hasManual) return situation({ state, reason: 'payouts_to_pay', waitsFor: 'finance', next: 'pay_manually', actions });
  return situation({ state, waitsFor: 'payouts', actions });
};

export const runSituation = (run: RunFacts): RunSituation => {
  const { decideBy: until } = run;
  switch (run.status) {
    case 'draft':
      return situation({
        ...{ state: 'draft', waitsFor: 'finance', until, actions: ['confirm', 'cancel'] },
        ...(run.isAccountFailing ? { reason: 'account_failing', next: 'check_account' } : { next: 'confirm' }),
      });
    case 'awaiting_approval':
      return situation({ state: 'to_approve', waitsFor: 'approver', until, next: 'approve', actions: ['approve', 'cancel'] });
    case 'paused': {
      // What was begun before the pause may have been paid.
      const actions = ['resume', 'cancel', ...(run.hasManual ? (['complete'] as const) : [])] as const;
      return situation({ state: 'paused', waitsFor: 'finance', next: 'resume', actions });
    }
    case 'running':
      return running(run);
    case 'completed':
      return situation({ state: 'completed', actions: [] });
    case 'cancelled':
      return situation({ state: 'cancelled', reason: run.cancelReason, actions: [] });
  }
};
