import { defineEntity, p } from '@mikro-orm/core';
import type { PayoutMethod } from '../../contracts/affiliates.ts';

const AffiliateProfileSchema = defineEntity({
  name: 'AffiliateProfile',
  tableName: 'affiliate_profile',
  properties: {
    id: p.uuid().primary(),
    userId: p.uuid(),
    /** Lower case. */
    email: p.text(),
    name: p.text().nullable(),
    payoutMethod: p.text().$type<PayoutMethod>().nullable(),
    /** `PayoutDetails` as JSON, encrypted for this row by the field cipher. */
    payoutDetails: p.text().nullable(),
    createdAt: p.datetime(),
    updatedAt: p.datetime(),
  },
});

/** One person, who has an `Affiliate` in each program they promote. */
export class AffiliateProfile extends AffiliateProfileSchema.class {
  setPayoutDetails(method: PayoutMethod, ciphertext: string, at: Date): void {
    this.payoutMethod = method;
    this.payoutDetails = ciphertext;
    this.updatedAt = at;
  }
}

AffiliateProfileSchema.setClass(AffiliateProfile);
