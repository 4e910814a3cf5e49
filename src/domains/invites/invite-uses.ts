import { MAX_INVITE_USES } from '../../contracts/limits.ts';
import { invalidField } from '../../platform/errors.ts';

export interface InviteTerms {
  email?: string | undefined;
  isPublic: boolean;
  usageLimit?: number | undefined;
  trackingCode?: string | undefined;
}

/** How many people may claim an invite. Only a public one without a tracking code has more than one use. */
export const usageLimitOf = ({ email, isPublic, usageLimit, trackingCode }: InviteTerms): number => {
  if (email !== undefined && isPublic) throw invalidField('email', 'is not allowed for a public invite');
  const limit = usageLimit ?? (isPublic && trackingCode === undefined ? MAX_INVITE_USES : 1);
  if (limit > 1 && !isPublic) throw invalidField('usageLimit', 'must be 1 unless isPublic is true');
  if (limit > 1 && trackingCode !== undefined) throw invalidField('usageLimit', 'must be 1 with a trackingCode');
  return limit;
};
