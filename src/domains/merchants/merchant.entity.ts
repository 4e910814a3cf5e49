import { isDeepStrictEqual } from 'node:util';
import { defineEntity, p } from '@mikro-orm/core';
import type { BILLING_REQUIREMENTS, BillingTier } from '../../contracts/programs.ts';

type BillingRequirement = (typeof BILLING_REQUIREMENTS)[number];

const MerchantSchema = defineEntity({
  name: 'Merchant',
  tableName: 'merchant',
  properties: {
    id: p.uuid().primary(),
    userId: p.uuid(),
    companyName: p.text(),
    email: p.text(),
    logoUrl: p.text().nullable(),
    timezone: p.text(),
    billingTier: p.text().$type<BillingTier>(),
    billingRequirementStatus: p.text().$type<BillingRequirement>(),
    paymentStatus: p.text(),
    lastPaymentFailedAt: p.datetime().nullable(),
    defaultCookieDuration: p.integer(),
    defaultPayoutThreshold: p.bigint('number'),
    trackingRequiresConsent: p.boolean(),
    trackingParamAliases: p.array().$type<string[]>(),
    onboardingCompleted: p.boolean(),
    onboardingStep: p.integer(),
    createdAt: p.datetime(),
    updatedAt: p.datetime(),
  },
});

/** What a merchant may change; a field left out stays as it is. */
export interface MerchantChanges {
  companyName?: string | undefined;
  logoUrl?: string | null | undefined;
  timezone?: string | undefined;
  defaultCookieDuration?: number | undefined;
  defaultPayoutThreshold?: number | undefined;
  trackingRequiresConsent?: boolean | undefined;
  trackingParamAliases?: string[] | undefined;
}

export class Merchant extends MerchantSchema.class {
  /** `updatedAt` moves only when a value did. */
  change(wanted: MerchantChanges, at: Date): void {
    const names = Object.keys(wanted) as (keyof MerchantChanges)[];
    const changed = names.filter((name) => wanted[name] !== undefined && !isDeepStrictEqual(wanted[name], this[name]));
    if (changed.length === 0) return;
    Object.assign(this, Object.fromEntries(changed.map((name) => [name, wanted[name]])), { updatedAt: at });
  }
}

MerchantSchema.setClass(Merchant);
