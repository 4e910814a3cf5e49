import { isDeepStrictEqual } from 'node:util';
import { defineEntity, p } from '@mikro-orm/core';
import type { ApplicationField } from '../../contracts/joining.ts';
import {
  APPLICATION_ACCESS,
  type AutoPayouts,
  COMMISSION_TYPES,
  type CommissionType,
  MARKETPLACE_STATUSES,
  type MarketplaceStatus,
  PAYOUT_FREQUENCIES,
  type PayoutFrequency,
  PROGRAM_STATUSES,
  type ProgramStatus,
} from '../../contracts/programs.ts';
import { websiteDomainOf } from './website-domain.steps.ts';

export type ApplicationAccess = (typeof APPLICATION_ACCESS)[number];

/** A page of the program's website that affiliates may link to. */
export interface LandingPage {
  /** Path and query, as they follow the origin of the website. */
  path: string;
  label: string;
}

export interface StoredAutoPayouts extends AutoPayouts {
  /** Who chose it, as named by `actorName`: counts as who confirms a run that confirms itself. */
  setBy?: string;
}

export const ProgramSchema = defineEntity({
  name: 'Program',
  tableName: 'program',
  properties: {
    id: p.uuid().primary(),
    merchantId: p.uuid(),
    name: p.text(),
    description: p.text().nullable(),
    slug: p.text(),
    website: p.text().nullable(),
    websiteDomain: p.text().nullable(),
    landingPageUrl: p.text().nullable(),
    allowedLandingPages: p.json<LandingPage[]>().onCreate(() => []),
    allowCustomDestinations: p.boolean().onCreate(() => false),
    portalSlug: p.text().nullable(),
    applicationFields: p
      .json<ApplicationField[]>()
      .defaultRaw("'[]'::jsonb")
      .onCreate(() => []),
    status: p.enum(PROGRAM_STATUSES).onCreate(() => 'active'),
    marketplaceStatus: p.enum(MARKETPLACE_STATUSES).onCreate(() => 'private'),
    applicationAccess: p.enum(APPLICATION_ACCESS).onCreate(() => 'open'),
    marketplaceCategory: p.text().nullable(),
    marketplaceDescription: p.text().nullable(),
    marketplaceLogoUrl: p.text().nullable(),
    commissionType: p.enum(COMMISSION_TYPES),
    /** At most two decimals. */
    commissionPercent: p.decimal('number').precision(5).scale(2),
    /** Set for `recurring_limited`, null for all other types. */
    commissionLimitMonths: p.integer().nullable(),
    commissionHoldDays: p.integer().onCreate(() => 30),
    /** Days. */
    cookieDuration: p.integer(),
    /** Minor units. */
    payoutThreshold: p.bigint('number'),
    payoutFrequency: p.enum(PAYOUT_FREQUENCIES).onCreate(() => 'monthly'),
    /** Null: off. */
    autoPayouts: p.json().$type<StoredAutoPayouts>().nullable(),
    /** When the next run is drafted; null while it is off. */
    autoPayoutsAt: p.datetime(3).nullable(),
    currency: p.text().onCreate(() => 'usd'),
    autoApproveAffiliates: p.boolean().onCreate(() => false),
    /** Every conversion of an affiliate who is not trusted yet is reviewed. */
    reviewNewAffiliates: p.boolean().default(false),
    /** Payments that name the same mailbox are of one customer. */
    joinCustomersByEmail: p.boolean().default(true),
    /** Null to use the merchant's setting. */
    trackingRequiresConsent: p.boolean().nullable(),
    trackingParamAliases: p.array().$type<string[]>().nullable(),
    embedOrigins: p
      .array()
      .$type<string[]>()
      .default([])
      .onCreate(() => []),
    termsUrl: p.text().nullable(),
    stripeAccountId: p.text().nullable(),
    stripeConnectedAt: p.datetime(3).nullable(),
    /** Null while no account is connected. */
    stripeLivemode: p.boolean().nullable(),
    createdByKey: p.uuid().nullable(),
    createdAt: p.datetime(3),
    updatedAt: p.datetime(3),
  },
});

/** What a merchant may set; undefined leaves a field unchanged. */
export interface ProgramSettings {
  name?: string | undefined;
  description?: string | null | undefined;
  website?: string | null | undefined;
  landingPageUrl?: string | null | undefined;
  allowedLandingPages?: LandingPage[] | undefined;
  allowCustomDestinations?: boolean | undefined;
  portalSlug?: string | null | undefined;
  applicationFields?: ApplicationField[] | undefined;
  status?: ProgramStatus | undefined;
  marketplaceStatus?: MarketplaceStatus | undefined;
  applicationAccess?: ApplicationAccess | undefined;
  marketplaceCategory?: string | null | undefined;
  marketplaceDescription?: string | null | undefined;
  marketplaceLogoUrl?: string | null | undefined;
  commissionType?: CommissionType | undefined;
  commissionPercent?: number | undefined;
  commissionLimitMonths?: number | null | undefined;
  commissionHoldDays?: number | undefined;
  cookieDuration?: number | undefined;
  payoutThreshold?: number | undefined;
  payoutFrequency?: PayoutFrequency | undefined;
  autoPayouts?: StoredAutoPayouts | undefined;
  currency?: string | undefined;
  autoApproveAffiliates?: boolean | undefined;
  reviewNewAffiliates?: boolean | undefined;
  joinCustomersByEmail?: boolean | undefined;
  termsUrl?: string | null | undefined;
  /** Null: the merchant's setting, also for the aliases. */
  trackingRequiresConsent?: boolean | null | undefined;
  trackingParamAliases?: string[] | null | undefined;
  embedOrigins?: string[] | undefined;
}

/** As the API names what changes when an account is connected or disconnected. */
export const STRIPE_FIELDS = ['stripeAccountId', 'stripeConnectedAt'] as const;

export class Program extends ProgramSchema.class {
  /** Returns the names of the fields that changed; `updatedAt` changes only when there is one. */
  change(changes: ProgramSettings, at: Date): string[] {
    const names = Object.keys(changes) as (keyof ProgramSettings)[];
    const changed = names.filter((name) => changes[name] !== undefined && !isDeepStrictEqual(changes[name], this[name]));
    if (changed.length === 0) return [];
    Object.assign(this, Object.fromEntries(changed.map((name) => [name, changes[name]])), { updatedAt: at });
    this.websiteDomain = websiteDomainOf(this.website);
    return changed;
  }

  connectStripe(account: { accountId: string; livemode: boolean }, at: Date): void {
    Object.assign(this, {
      stripeAccountId: account.accountId,
      stripeLivemode: account.livemode,
      stripeConnectedAt: at,
      updatedAt: at,
    });
  }

  disconnectStripe(at: Date): void {
    Object.assign(this, { stripeAccountId: null, stripeLivemode: null, stripeConnectedAt: null, updatedAt: at });
  }
}

ProgramSchema.setClass(Program);
