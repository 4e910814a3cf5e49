import type { ApplicationStatus } from '../applications.ts';
import type { Situation } from './situation.ts';

export const APPLICATION_STATES = ['to_decide', 'approved', 'declined', 'expired', 'withdrawn', 'blocked'] as const;
export type ApplicationStateName = (typeof APPLICATION_STATES)[number];

/** An archived program takes no affiliates. */
export const APPLICATION_REASONS = ['program_archived'] as const;
export type ApplicationReason = (typeof APPLICATION_REASONS)[number];

export const APPLICATION_NEXT = ['decide', 'decline', 'add_affiliate'] as const;
export type ApplicationNext = (typeof APPLICATION_NEXT)[number];

export const APPLICATION_ACTIONS = ['approve', 'decline', 'block'] as const;
export type ApplicationAction = (typeof APPLICATION_ACTIONS)[number];

export type ApplicationSituation = Situation<ApplicationStateName, ApplicationReason, ApplicationNext, ApplicationAction>;

/** What decides on the situation of an application. */
export interface ApplicationFacts {
  status: ApplicationStatus;
  /** Whether it was declined because nobody decided in time. */
  expired: boolean;
  isProgramArchived: boolean;
  /** ISO time when it is declined if nobody decides. */
  dueAt: string | null;
}

export const applicationSituation = (application: ApplicationFacts): ApplicationSituation => {
  const { status, expired, isProgramArchived, dueAt: until } = application;
  if (status === 'pending') {
    const waiting = { state: 'to_decide', waitsFor: 'reviewer', until } as const;
    if (isProgramArchived) return { ...waiting, reason: 'program_archived', next: 'decline', actions: ['decline', 'block'] };
    return { ...waiting, reason: null, next: 'decide', actions: ['approve', 'decline', 'block'] };
  }
  return {
    state: expired ? 'expired' : status,
    reason: null,
    waitsFor: 'nobody',
    until: null,
    next: status === 'blocked' ? 'add_affiliate' : null,
    actions: [],
  };
};
