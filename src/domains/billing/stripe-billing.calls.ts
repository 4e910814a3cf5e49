import type Stripe from 'stripe';
import type { PaidTier } from '../../contracts/billing.ts';
import { createStripeClient, isStripeError, type StripeClientOptions } from '../../platform/stripe/stripe-client.ts';

/** A subscription at Stripe, as it was when it was read. */
export interface StripeSubscription {
  id: string;
  customerId: string;
  /** A status of Stripe: `active`, `past_due`, `canceled`, … */
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
  /** The customer's subscription that has not ended; null when there is none. */
  findCurrent(customerId: string): Promise<CurrentSubscription | null>;
  /** Makes a subscription. Requests with the same `orderId` make one, or get the error of the first. */
  order(request: { customerId: string; tier: PaidTier; orderId: string }): Promise<CurrentSubscription>;
  /** Changes the tier. Requests with the same `orderId` change it once, or get the error of the first. */
  change(request: { id: string; itemId: string; tier: PaidTier; orderId: string }): Promise<CurrentSubscription>;
  /** Cancels one whose first invoice is unpaid. False, and nothing changes, while that invoice is being paid or if it was paid meanwhile. */
  cancelUnpaid(id: string): Promise<boolean>;
  /** Null when there is no such subscription. */
  findSubscription(id: string): Promise<StripeSubscription | null>;
}

/** A subscription that may be changed or ordered anew. */
export interface CurrentSubscription {
  id: string;
  status: string;
  /** Id of its only item. */
  itemId: string;
  /** Null: its price belongs to no tier. */
  tier: PaidTier | null;
}

export interface StripeBillingOptions extends StripeClientOptions {
  /** Ids of recurring prices. */
  prices: Readonly<Record<PaidTier, string>>;
}

/** Carries no text of Stripe: it may quote a key. */
export class StripeCallError extends Error {
  /** No part of the call is still on its way: Stripe has answered, and not that another request with the same key is in progress. */
  readonly isAnswered: boolean;

  constructor(call: string, cause: unknown) {
    super(`Stripe: ${call} failed (${textOf(cause, 'type')}, ${textOf(cause, 'code')})`);
    this.name = 'StripeCallError';
    const status = typeof cause === 'object' && cause !== null && 'statusCode' in cause ? cause.statusCode : undefined;
    this.isAnswered = typeof status === 'number' && status !== 409;
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
  const tierOf = ({ items }: Stripe.Subscription): PaidTier | null => tiers.get(items.data[0]?.price.id ?? '') ?? null;
  const toCurrent = (found: Stripe.Subscription): CurrentSubscription => {
    const { id, status, items } = found;
    return { id, status, itemId: items.data[0]?.id ?? '', tier: tierOf(found) };
  };
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
    findCurrent: (customerId) =>
      call('listSubscriptions', async ({ subscriptions }) => {
        const { data } = await subscriptions.list({ customer: customerId, limit: 100 });
        const found = data.find(({ status }) => !ENDED.includes(status));
        return found ? toCurrent(found) : null;
      }),
    order: ({ customerId, tier, orderId }) =>
      call('createSubscription', async ({ subscriptions }) => {
        const order = { customer: customerId, items: [{ price: prices[tier] }], payment_behavior: 'default_incomplete' as const };
        return toCurrent(await subscriptions.create(order, { idempotencyKey: `subscribe-${orderId}` }));
      }),
    change: ({ id, itemId, tier, orderId }) =>
      call('changeSubscription', async ({ subscriptions }) => {
        const change = { items: [{ id: itemId, price: prices[tier] }], proration_behavior: 'always_invoice' as const };
        return toCurrent(await subscriptions.update(id, change, { idempotencyKey: `change-${orderId}` }));
      }),
    cancelUnpaid: async (id) => {
      const invoice = await call('findInvoice', async ({ subscriptions }) => {
        const { latest_invoice } = await subscriptions.retrieve(id, { expand: ['latest_invoice'] });
        return typeof latest_invoice === 'object' ? latest_invoice : null;
      });
      if (invoice?.status === 'paid') return false;
      // Canceling alone would not stop a payment in progress.
      const isVoid =
        invoice?.status !== 'open' ||
        (await call('voidInvoice', ({ invoices }) => invoices.voidInvoice(invoice.id).then(() => true, falseIfRejected)));
      // It may have ended with its invoice: then there is nothing to cancel.
      if (isVoid) await call('cancelSubscription', ({ subscriptions }) => subscriptions.cancel(id).catch(falseIfRejected));
      return isVoid;
    },
    findSubscription: (wanted) =>
      call('findSubscription', async ({ subscriptions }) => {
        const found = await subscriptions.retrieve(wanted, { expand: ['latest_invoice'] }).catch(nullIfMissing);
        if (found === null) return null;
        const { id, status, customer } = found;
        return { id, customerId: idOf(customer), status, tier: tierOf(found), paymentUrl: paymentUrlOf(found) };
      }),
  };
};

/** Stripe rejects what the state of the object forbids: it voids neither an invoice that is paid nor one that is being paid. */
const falseIfRejected = (error: unknown): false => {
  if (isStripeError(error, 'StripeInvalidRequestError')) return false;
  throw error;
};

const nullIfMissing = (error: unknown): null => {
  if (textOf(error, 'code') === 'resource_missing') return null;
  throw error;
};
