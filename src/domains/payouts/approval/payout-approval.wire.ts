import { stringOrNull, timestampOrNull } from '../../../platform/http/schemas.ts';

/** Fields of a payout: who entered the account that it pays to, and who let it be paid. */
export const approvalFields = {
  accountEnteredBy: stringOrNull.describe(
    'Key or person of yours that entered the account that is paid to; null if the affiliate did, or if it is not known',
  ),
  accountEnteredAt: timestampOrNull.describe('When that was; null as above'),
  approvalRequiredAt: timestampOrNull.describe(
    'When the approval of a second actor was asked for; null if nobody has to approve',
  ),
  approvedBy: stringOrNull.describe('Key or person that approved it; null while nobody did'),
  approvedAt: timestampOrNull.describe('When it was approved; null while nobody did'),
};
