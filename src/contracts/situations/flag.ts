import { type FlagDeadlineAction, type FlagStatus, RESOLUTION_OF_DEADLINE } from '../flags.ts';
import type { Situation } from './situation.ts';

export const FLAG_STATES = ['to_decide', 'reviewed', 'dismissed', 'confirmed'] as const;
export type FlagStateName = (typeof FLAG_STATES)[number];

/** `overdue`: its deadline passed without a decision. `deadline`: that resolved it. `rejecting`: it still holds commissions. */
export const FLAG_REASONS = ['overdue', 'deadline', 'rejecting'] as const;
export type FlagReason = (typeof FLAG_REASONS)[number];

export const FLAG_NEXT = ['decide'] as const;
export type FlagNext = (typeof FLAG_NEXT)[number];

export const FLAG_ACTIONS = ['resolve'] as const;
export type FlagAction = (typeof FLAG_ACTIONS)[number];

export type FlagSituation = Situation<FlagStateName, FlagReason, FlagNext, FlagAction>;

/** What decides on the situation of a flag. */
export interface FlagFacts {
  status: FlagStatus;
  /** What the deadline did; null before it, and when a person was faster. */
  deadlineAction: FlagDeadlineAction | null;
  /** Whether linked commissions are still held. */
  isHolding: boolean;
  /** ISO time. */
  dueAt: string;
}

const reasonOf = ({ deadlineAction, isHolding }: FlagFacts): FlagReason | null => {
  if (isHolding) return 'rejecting';
  return deadlineAction !== null && RESOLUTION_OF_DEADLINE[deadlineAction] !== null ? 'deadline' : null;
};

export const flagSituation = (flag: FlagFacts): FlagSituation => {
  const { status, deadlineAction, dueAt } = flag;
  if (status !== 'open')
    return { state: status, reason: reasonOf(flag), waitsFor: 'nobody', until: null, next: null, actions: [] };
  const isOverdue = deadlineAction === 'keep_open';
  return {
    state: 'to_decide',
    reason: isOverdue ? 'overdue' : null,
    waitsFor: 'reviewer',
    until: isOverdue ? null : dueAt,
    next: 'decide',
    actions: ['resolve'],
  };
};
