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
    /** `PayoutDetails` as JSON, sealed by the cipher for this row. */
    payoutDetails: p.text().nullable(),
    createdAt: p.datetime(),
    updatedAt: p.datetime(),
  },
});

/** One person; a membership in each program they promote. */
export class AffiliateProfile extends AffiliateProfileSchema.class {
  bePaidBy(method: PayoutMethod, sealedDetails: string, at: Date): void {
    this.payoutMethod = method;
    this.payoutDetails = sealedDetails;
    this.updatedAt = at;
  }
}

AffiliateProfileSchema.setClass(AffiliateProfile);
