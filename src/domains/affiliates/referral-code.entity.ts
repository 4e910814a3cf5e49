import { defineEntity, p } from '@mikro-orm/core';

/** Codes of affiliates and slugs of links share one namespace, because /r/{code} names no program. */
export const ReferralCodeSchema = defineEntity({
  name: 'ReferralCode',
  tableName: 'referral_code',
  properties: {
    code: p.text().primary(),
    /** While it is reserved, no such affiliate exists. */
    affiliateId: p.uuid(),
    /** The link whose code it is or was: that of the first link is the affiliate's own. Null: of the affiliate only. */
    linkId: p.uuid().nullable(),
    /** Made from the name of the affiliate: erasure replaces it. */
    fromName: p.boolean().default(false),
    /** From then on, somebody else may take the code. Null: it is in use, and will never be anybody else's. */
    reservedUntil: p.datetime(3).nullable(),
  },
});

/** What each sale changes, apart from the affiliate's own row and its many indexes. Made by a trigger. */
export const AffiliateTotalsSchema = defineEntity({
  name: 'AffiliateTotals',
  tableName: 'affiliate_totals',
  properties: {
    affiliateId: p.uuid().primary(),
    programId: p.uuid(),
    merchantId: p.uuid(),
    clicks: p.bigint('number').default(0),
    conversions: p.bigint('number').default(0),
    revenue: p.bigint('number').default(0),
    earnings: p.bigint('number').default(0),
  },
});
