import type { Acknowledged } from '../../src/audit/index.ts';
import type { SeededRandom } from '../chaos/support/seeded-random.ts';
import type { ProcessSystem } from '../support/processes.ts';
import type { MerchantPlan } from './merchant-plans.ts';
import type { RetryingClient } from './retrying-client.ts';

/** Real seconds of a simulated day. */
export const SECONDS_PER_DAY = 2;

export interface Click {
  token: string;
  day: number;
}

export interface SoldItem {
  saleId: string;
  amount: number;
  day: number;
  conversionId: string | null;
  isRefunded: boolean;
  /** Set for sales through Stripe; null for other payment systems. */
  paymentIntent: string | null;
  dispute: { id: string; day: number } | null;
}

export interface Customer {
  id: string;
  email: string;
}

/** Somebody with a login of their own. */
export interface Person {
  profileId: string;
  email: string;
  client: RetryingClient;
}

export interface Affiliate {
  affiliateId: string;
  code: string;
  /** Null for affiliates whom the merchant added: they never log in. */
  person: Person | null;
  email: string;
  couponCode: string | null;
  clicks: Click[];
  /** Customers who may buy again. */
  customers: Customer[];
  /** The day on which the merchant blocked them; null while they are not. */
  blockedOn: number | null;
}

export interface Merchant {
  plan: MerchantPlan;
  /** Days by which its calendar is shifted: merchants do not do the same on the same day. */
  offset: number;
  random: SeededRandom;
  client: RetryingClient;
  programId: string;
  eventSecret: string;
  /** Signs the events of its Stripe account; null without one. */
  stripeSecret: string | null;
  /** Origin of its website. */
  website: string;
  affiliates: Affiliate[];
  /** People who wait for a decision, by the id of their future membership. */
  applicants: Map<string, Person>;
  sales: SoldItem[];
  /** Failed payouts that were dealt with. */
  retried: Set<string>;
  /** The day on which a payout that needs a person was first seen. */
  reviews: Map<string, number>;
}

/** What happened, by kind. */
export type Tally = Record<string, number>;

export interface World {
  system: ProcessSystem;
  origin: string;
  day: number;
  merchants: Merchant[];
  tally: Tally;
  acknowledged: Acknowledged[];
}

export const count = ({ tally }: Pick<World, 'tally'>, kind: string, times = 1): void => {
  tally[kind] = (tally[kind] ?? 0) + times;
};

/** True for `percent` of all calls. */
export const chance = (random: SeededRandom, percent: number): boolean => random.integer(100) < percent;

/** Whether something that the merchant does every few days is to be done today. */
export const isDue = ({ day }: World, { offset }: Merchant, everyDays: number): boolean => (day + offset) % everyDays === 0;
