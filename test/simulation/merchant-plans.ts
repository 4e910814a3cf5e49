import type { FlagDeadlineAction } from '../../src/contracts/flags.ts';

/** How a merchant runs the business. Shares are percents. */
export interface MerchantPlan {
  name: string;
  /** Body of `POST /programs`, without name and website. */
  program: Record<string, unknown> & { currency: string };
  /** Body of `PATCH /merchant`. */
  settings: { flagReviewDays: number; flagDeadlineAction: FlagDeadlineAction; detailsCooldownHours?: number };
  /** Days between two rounds of payouts. */
  payEveryDays: number;
  /** How many of the open flags the merchant resolves in a round; the others wait for their deadline. */
  flagsResolved: number;
  applicationsDecided: number;
  /** How many affiliates are paid by bank transfer, which finance does manually. */
  bankTransfers: number;
  /** How many of the affiliates have a coupon. */
  coupons: number;
  /** Whether its sales are events of Stripe. */
  usesStripe?: boolean;
  /** Whether its webhook endpoint is down for a week. */
  hasOutage?: boolean;
}

const PUBLIC = { marketplaceStatus: 'public', applicationAccess: 'open' };

export const MERCHANT_PLANS: readonly MerchantPlan[] = [
  {
    name: 'Northwind',
    program: {
      ...PUBLIC,
      commissionType: 'recurring',
      commissionPercent: 20,
      commissionHoldDays: 7,
      payoutThreshold: 2_000,
      cookieDuration: 20,
      currency: 'usd',
      payoutFrequency: 'weekly',
      autoApproveAffiliates: true,
    },
    settings: { flagReviewDays: 5, flagDeadlineAction: 'confirm' },
    payEveryDays: 7,
    flagsResolved: 70,
    applicationsDecided: 90,
    bankTransfers: 20,
    coupons: 40,
    hasOutage: true,
  },
  {
    name: 'Southbank',
    program: {
      ...PUBLIC,
      commissionType: 'one_time',
      commissionPercent: 30,
      commissionHoldDays: 10,
      payoutThreshold: 5_000,
      cookieDuration: 30,
      currency: 'eur',
      payoutFrequency: 'monthly',
    },
    settings: { flagReviewDays: 7, flagDeadlineAction: 'dismiss' },
    payEveryDays: 30,
    flagsResolved: 20,
    applicationsDecided: 60,
    bankTransfers: 50,
    coupons: 40,
  },
  {
    name: 'Eastgate',
    program: {
      ...PUBLIC,
      commissionType: 'recurring_limited',
      commissionLimitMonths: 6,
      commissionPercent: 15,
      commissionHoldDays: 1,
      payoutThreshold: 1_000,
      cookieDuration: 10,
      currency: 'usd',
      payoutFrequency: 'weekly',
      reviewNewAffiliates: true,
    },
    settings: { flagReviewDays: 3, flagDeadlineAction: 'keep_open' },
    payEveryDays: 7,
    flagsResolved: 85,
    applicationsDecided: 80,
    bankTransfers: 0,
    coupons: 40,
  },
  {
    name: 'Westfield',
    program: {
      ...PUBLIC,
      commissionType: 'recurring',
      commissionPercent: 10,
      commissionHoldDays: 3,
      payoutThreshold: 1_000,
      cookieDuration: 30,
      currency: 'usd',
      payoutFrequency: 'weekly',
      autoApproveAffiliates: true,
    },
    settings: { flagReviewDays: 4, flagDeadlineAction: 'dismiss', detailsCooldownHours: 48 },
    payEveryDays: 7,
    flagsResolved: 50,
    applicationsDecided: 90,
    bankTransfers: 60,
    coupons: 100,
    usesStripe: true,
  },
];
