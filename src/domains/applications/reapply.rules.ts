import type { AffiliateStatus } from '../../contracts/affiliates.ts';
import type { ApplicationStatus } from '../../contracts/applications.ts';
import { MAX_RECENT_APPLICATIONS, REAPPLY_AFTER_MS } from '../../contracts/applications.ts';
import type { Reason } from '../../contracts/error-codes.ts';
import { after } from '../../platform/clock.ts';

/** What was decided on an application, as an entity or as a row. */
export interface Decision {
  status: ApplicationStatus;
  decidedAt?: Date | string | null | undefined;
  /** Null when nobody of the merchant decided. */
  decidedBy?: string | null | undefined;
}

/** What a person is to a program. */
export interface Standing {
  /** Null when the person is no affiliate of the program. */
  membership: AffiliateStatus | null;
  /** The person's latest application; null before the first one. */
  latest: Decision | null;
  /** When the person applied within the last `REAPPLY_AFTER_MS`, the latest first; the first `MAX_RECENT_APPLICATIONS` of them. */
  recent: readonly Date[];
}

type ConflictReason = Extract<Reason, 'ALREADY_MEMBER' | 'APPLICATION_PENDING' | 'REAPPLY_LATER' | 'AFFILIATE_BLOCKED'>;

export interface ApplicationConflict {
  reason: ConflictReason;
  /** When the person may apply again; null when time alone does not change it. */
  retryAt: Date | null;
}

/** When a declined person may apply again; null: at once, or never. Nobody decided on an expired application. */
export const reapplyAtOf = ({ status, decidedAt, decidedBy }: Decision): Date | null =>
  status === 'declined' && decidedAt && decidedBy ? after(new Date(decidedAt), REAPPLY_AFTER_MS) : null;

const tooManyUntil = (recent: readonly Date[]): Date | null => {
  const tenth = recent[MAX_RECENT_APPLICATIONS - 1];
  return tenth ? after(tenth, REAPPLY_AFTER_MS) : null;
};

/** Why a person may not apply now; null when they may. */
export const findApplicationConflict = ({ membership, latest, recent }: Standing, now: Date): ApplicationConflict | null => {
  if (membership === 'blocked' || latest?.status === 'blocked') return { reason: 'AFFILIATE_BLOCKED', retryAt: null };
  if (membership === 'approved') return { reason: 'ALREADY_MEMBER', retryAt: null };
  if (latest?.status === 'pending') return { reason: 'APPLICATION_PENDING', retryAt: null };
  const retryAt = (latest && reapplyAtOf(latest)) ?? tooManyUntil(recent);
  return retryAt && retryAt > now ? { reason: 'REAPPLY_LATER', retryAt } : null;
};
