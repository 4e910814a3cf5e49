import { paymentPrefixOf } from '../../contracts/payment-references.ts';
import type { BillingTier } from '../../contracts/programs.ts';
import { recordChange } from '../../platform/audit-log/record-change.ts';
import type { Context } from '../../platform/context.ts';
import { Merchant } from './merchant.entity.ts';

declare module '../../platform/context.ts' {
  interface Settings {
    /** Tier of new merchants. */
    defaultTier: BillingTier;
  }
}

export interface NewMerchant {
  companyName: string;
  /** Lower case. */
  email: string;
  /** The person of the address, or who will be. */
  userId: string;
}

/** A merchant with the default settings, stored with the next flush. */
export const newMerchant = async (ctx: Context, given: NewMerchant): Promise<Merchant> => {
  const now = ctx.clock.now();
  const billingTier = ctx.settings.defaultTier;
  const id = ctx.ids.next();
  const paymentPrefix = paymentPrefixOf(given.companyName);
  const merchant = ctx.em.create(Merchant, { id, ...given, paymentPrefix, billingTier, createdAt: now, updatedAt: now });
  await recordChange(ctx, { ownerId: id, action: 'merchant.created', resourceId: id, after: { billingTier } });
  return merchant;
};
