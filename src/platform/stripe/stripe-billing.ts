import type Stripe from 'stripe';
import type { PaidTier } from '../../contracts/billing.ts';
import { createStripeClient, type StripeClientOptions } from './stripe-client.ts';

/** A subscription at Stripe, as it was when it was read. */
export interface StripeSubscription {
  id: string;
  customerId: string;
  /** One of Stripe's: `active`, `past_due`, `canceled`, … */
  status: string;
  /** Null: its price belongs to no tier. */
  tier: PaidTier | null;
  /** Where the latest invoice is paid; null when it is paid, or cannot be. */
  paymentUrl: string | null;
}

/** The calls to Stripe Billing. Each is a network call: never inside a transaction. They throw a `StripeCallError`. */
export interface StripeBilling {
  /** Returns the id. A customer that nobody stores is never charged. */
  createCustomer(customer: { merchantId: string; name: string; email: string; requestId: string }): Promise<string>;
  /**
   * Changes the tier of the customer's subscription, or makes one. A customer never has two. Returns its id. Requests with the same
   * `orderId` make one, or get the error of the first.
   */
  subscribe(request: { customerId: string; tier: PaidTier; requestId: string; orderId: string }): Promise<string>;
  /** Null when there is no such subscription. */
  findSubscription(id: string): Promise<StripeSubscription | null>;
}

export interface StripeBillingOptions extends StripeClientOptions {
  /** Ids of recurring prices. */
  prices: Readonly<Record<PaidTier, string>>;
}

/** Carries no text of Stripe: it may quote a key. */
export class StripeCallError extends Error {
  /** Nothing of the call is on its way: Stripe has answered, and not that another request with the same key is in progress. */
  readonly isOver: boolean;

  constructor(call: string, cause: unknown) {
    super(`Stripe: ${call} failed (${textOf(cause, 'type')}, ${textOf(cause, 'code')})`);
    this.name = 'StripeCallError';
    const status = typeof cause === 'object' && cause !== null && 'statusCode' in cause ? cause.statusCode : undefined;
    this.isOver = typeof status === 'number' && status !== 409;
  }
}

const textOf = (error: unknown, name: 'type' | 'code'): string => {
  const value = typeof error === 'object' && error !== null ? (error as Readonly<Record<string, unknown>>)[name] : undefined;
  return typeof value === 'string' ? value : `no ${name}`;
};

const ENDED: readonly string[] = ['canceled', 'incomplete_expired'];

const idOf = (reference: string | { id: string }): string => (typeof reference === 'string' ? reference : reference.id);

const paymentUrlOf = ({ latest_invoice }: Stripe.Subscription): string | null =>
  typeof latest_invoice === 'object' && latest_invoice?.status === 'open' ? (latest_invoice.hosted_invoice_url ?? null) : null;

export const createStripeBilling = ({ prices, ...options }: StripeBillingOptions): StripeBilling => {
  const client = createStripeClient(options);
  const tiers = new Map(Object.entries(prices).map(([tier, price]) => [price, tier as PaidTier]));
  const call = async <T>(name: string, work: Parameters<typeof client.call<T>>[0]): Promise<T> => {
    try {
      return await client.call(work);
    } catch (error) {
      throw new StripeCallError(name, error);
    }
  };
  return {
    createCustomer: ({ merchantId, name, email, requestId }) =>
      call('createCustomer', async ({ customers }) => {
        const customer = { name, email, metadata: { merchantId } };
        return (await customers.create(customer, { idempotencyKey: `customer-${requestId}` })).id;
      }),
    // A deadline for each call: with one for all, those left would still be made after the caller was told of the failure.
    async subscribe({ customerId, tier, requestId, orderId }) {
      const price = prices[tier];
      const { data } = await call('listSubscriptions', ({ subscriptions }) =>
        subscriptions.list({ customer: customerId, limit: 100 }),
      );
      const current = data.find(({ status }) => !ENDED.includes(status));
      const [item] = current?.items.data ?? [];
      if (current && item?.price.id === price) return current.id;
      // The price of an unpaid first invoice cannot be changed.
      if (current?.status === 'incomplete')
        await call('cancelSubscription', ({ subscriptions }) => subscriptions.cancel(current.id));
      else if (current && item) {
        const change = { items: [{ id: item.id, price }], proration_behavior: 'always_invoice' as const };
        const options = { idempotencyKey: `change-${requestId}` };
        return (await call('changeSubscription', ({ subscriptions }) => subscriptions.update(current.id, change, options))).id;
      }
      const order = { customer: customerId, items: [{ price }], payment_behavior: 'default_incomplete' as const };
      const options = { idempotencyKey: `subscribe-${orderId}-${current?.id ?? 'first'}` };
      return (await call('createSubscription', ({ subscriptions }) => subscriptions.create(order, options))).id;
    },
    findSubscription: (id) =>
      call('findSubscription', async ({ subscriptions }) => {
        const found = await subscriptions.retrieve(id, { expand: ['latest_invoice'] }).catch(nullIfMissing);
        if (found === null) return null;
        const tier = tiers.get(found.items.data[0]?.price.id ?? '') ?? null;
        const { status, customer } = found;
        return { id: found.id, customerId: idOf(customer), status, tier, paymentUrl: paymentUrlOf(found) };
      }),
  };
};

const nullIfMissing = (error: unknown): null => {
  if (textOf(error, 'code') === 'resource_missing') return null;
  throw error;
};
