import { isDeepStrictEqual } from 'node:util';
import { defineEntity, p } from '@mikro-orm/core';
import { PAYMENT_STATUSES, type PaymentStatus } from '../../contracts/billing.ts';
import { FLAG_DEADLINE_ACTIONS, type FlagDeadlineAction } from '../../contracts/flags.ts';
import { NOTIFICATION_DEFAULTS, type NotificationName, type NotificationPreferences } from '../../contracts/notifications.ts';
import { LAST_ONBOARDING_STEP, type OnboardingStep } from '../../contracts/onboarding.ts';
import { BILLING_TIERS, type BillingTier } from '../../contracts/programs.ts';
import type { PayoutRails } from '../../contracts/rails.ts';
import type { AmountsByCurrency } from '../../platform/money.ts';

export const MerchantSchema = defineEntity({
  name: 'Merchant',
  tableName: 'merchant',
  properties: {
    id: p.uuid().primary(),
    userId: p.uuid(),
    companyName: p.text(),
    email: p.text(),
    logoUrl: p.text().nullable(),
    timezone: p.text().onCreate(() => 'UTC'),
    billingTier: p.enum(BILLING_TIERS).onCreate(() => 'free'),
    paymentStatus: p.enum(PAYMENT_STATUSES).onCreate(() => 'active'),
    lastPaymentFailedAt: p.datetime(3).nullable(),
    /** Null while no payment is overdue. From this time on the merchant is restricted. */
    graceEndsAt: p.datetime(3).nullable(),
    /** ISO 3166-1, two letters. */
    country: p.text().nullable(),
    addressLine1: p.text().nullable(),
    addressLine2: p.text().nullable(),
    city: p.text().nullable(),
    state: p.text().nullable(),
    postalCode: p.text().nullable(),
    vatId: p.text().nullable(),
    taxId: p.text().nullable(),
    /** Days. */
    defaultCookieDuration: p.integer().onCreate(() => 30),
    /** Minor units. */
    defaultPayoutThreshold: p.bigint('number').onCreate(() => 5_000),
    trackingRequiresConsent: p.boolean().onCreate(() => false),
    trackingParamAliases: p
      .array()
      .$type<string[]>()
      .onCreate(() => []),
    /** How long a flag waits for a decision, counted from its newest evidence. */
    flagReviewDays: p.integer().onCreate(() => 14),
    flagDeadlineAction: p.enum(FLAG_DEADLINE_ACTIONS).onCreate(() => 'keep_open'),
    /** Hours after a change of payout details in which no payout to the affiliate can be created. */
    detailsCooldownHours: p.integer().default(0),
    /** Limit for the sum of payouts that are created in 24 hours. */
    payoutDailyLimit: p.json<AmountsByCurrency>().nullable(),
    /** The amount from which a second actor has to approve. */
    payoutApprovalThreshold: p.json<AmountsByCurrency>().nullable(),
    /** Which rail pays each payout method. Null, here or for a method: what the installation chooses. */
    payoutRails: p.json<PayoutRails>().nullable(),
    /** Stands before the number in a payout's payment reference. A change applies to later payouts. */
    paymentPrefix: p.text().default('PAY'),
    /** Null before the first change. */
    notificationPreferences: p.json<NotificationPreferences>().nullable(),
    onboardingCompleted: p.boolean().onCreate(() => false),
    onboardingStep: p.integer().onCreate(() => 1),
    createdAt: p.datetime(3),
    updatedAt: p.datetime(3),
  },
});

/** What a merchant may change; undefined leaves a field unchanged. */
export interface MerchantChanges {
  companyName?: string | undefined;
  logoUrl?: string | null | undefined;
  country?: string | null | undefined;
  addressLine1?: string | null | undefined;
  addressLine2?: string | null | undefined;
  city?: string | null | undefined;
  state?: string | null | undefined;
  postalCode?: string | null | undefined;
  vatId?: string | null | undefined;
  taxId?: string | null | undefined;
  timezone?: string | undefined;
  defaultCookieDuration?: number | undefined;
  defaultPayoutThreshold?: number | undefined;
  trackingRequiresConsent?: boolean | undefined;
  trackingParamAliases?: string[] | undefined;
  flagReviewDays?: number | undefined;
  flagDeadlineAction?: FlagDeadlineAction | undefined;
  detailsCooldownHours?: number | undefined;
  payoutDailyLimit?: AmountsByCurrency | null | undefined;
  payoutApprovalThreshold?: AmountsByCurrency | null | undefined;
  payoutRails?: PayoutRails | null | undefined;
  paymentPrefix?: string | undefined;
}

/** What the payments for the billing tier change; what is left out stays unchanged. */
export interface BillingChanges {
  billingTier?: BillingTier;
  paymentStatus?: PaymentStatus;
  graceEndsAt?: Date | null;
  lastPaymentFailedAt?: Date;
}

export class Merchant extends MerchantSchema.class {
  /** `updatedAt` changes only when another value does. */
  change(changes: MerchantChanges, at: Date): void {
    const names = Object.keys(changes) as (keyof MerchantChanges)[];
    const changed = names.filter((name) => changes[name] !== undefined && !isDeepStrictEqual(changes[name], this[name]));
    if (changed.length === 0) return;
    Object.assign(this, Object.fromEntries(changed.map((name) => [name, changes[name]])), { updatedAt: at });
  }

  /** Steps are never taken back. */
  advanceOnboarding(step: OnboardingStep, at: Date): void {
    if (step <= this.onboardingStep) return;
    Object.assign(this, { onboardingStep: step, onboardingCompleted: step === LAST_ONBOARDING_STEP, updatedAt: at });
  }

  changeBilling(changes: BillingChanges, at: Date): void {
    const changed = Object.entries(changes).some(
      ([name, value]) => !isDeepStrictEqual(value, this[name as keyof BillingChanges]),
    );
    if (changed) Object.assign(this, changes, { updatedAt: at });
  }

  /** What is left out stays unchanged. */
  changeNotifications(changes: { [N in NotificationName]?: boolean | undefined }, at: Date): NotificationPreferences {
    const before = this.notificationPreferences ?? NOTIFICATION_DEFAULTS;
    const given = Object.entries(changes).filter(([, value]) => value !== undefined);
    const preferences: NotificationPreferences = { ...before, ...Object.fromEntries(given) };
    if (!isDeepStrictEqual(preferences, before)) Object.assign(this, { notificationPreferences: preferences, updatedAt: at });
    return preferences;
  }
}

MerchantSchema.setClass(Merchant);

/** Totals of lists, kept by triggers. Each connection has rows of its own, so that no writer waits for another. */
export const RowCounterSchema = defineEntity({
  name: 'RowCounter',
  tableName: 'row_counter',
  properties: {
    relation: p.text().primary(),
    merchantId: p.uuid().primary(),
    /** All zeros: the total of all programs. */
    programId: p.uuid().primary(),
    status: p.text().primary(),
    shard: p.integer().primary(),
    amount: p.bigint('number'),
  },
});
