import { z } from 'zod';
import { affiliateId, programId } from '../../platform/http/fields.ts';
import { referralCode, timestampOrNull } from '../../platform/http/schemas.ts';

export const affiliateCodeSchema = z
  .object({
    affiliateId,
    programId,
    code: z.string().describe('Referral code of the affiliate, and of their first link. Earlier ones keep counting'),
    changeableAt: timestampOrNull.describe('From when it can be changed again; null if it was never changed'),
  })
  .meta({ id: 'AffiliateCode' });

export type AffiliateCodeView = z.infer<typeof affiliateCodeSchema>;

export const changeCodeBody = z.strictObject({
  code: referralCode.describe('New code: 3 to 50 characters from a-z, 0-9, `_` and `-`, unique in the installation'),
});
