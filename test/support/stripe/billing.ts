import { randomBytes } from 'node:crypto';

/** Customers and subscriptions of Stripe Billing as its documentation describes them, for subscriptions with one item. */
export interface StripeReply {
  status: number;
  body: unknown;
}

interface Subscription {
  id: string;
  object: 'subscription';
  customer: string;
  status: string;
  items: { object: 'list'; data: { id: string; object: 'subscription_item'; price: { id: string; object: 'price' } }[] };
  latest_invoice: { id: string; object: 'invoice'; status: string; hosted_invoice_url: string };
}

/** Invoices whose payment is on its way, as one by bank is for days. */
const paying = new Set<string>();

export interface StripeCall {
  method: string;
  path: string;
  params: URLSearchParams;
  idempotencyKey: string | undefined;
}

const newId = (prefix: string): string => `${prefix}_${randomBytes(8).toString('hex')}`;

const customers = new Map<string, object>();
const subscriptions = new Map<string, Subscription>();
const replies = new Map<string, { params: string; reply: StripeReply }>();
/** What was called, oldest first. */
export const calls: string[] = [];

const ok = (body: unknown): StripeReply => ({ status: 200, body });
const rejected = (status: number, error: object): StripeReply => ({ status, body: { error } });
const missing = (what: string): StripeReply =>
  rejected(404, { type: 'invalid_request_error', code: 'resource_missing', message: `No such ${what}` });

const createCustomer = (params: URLSearchParams): StripeReply => {
  const customer = { id: newId('cus'), object: 'customer', email: params.get('email'), name: params.get('name') };
  customers.set(customer.id, customer);
  return ok(customer);
};

const itemOf = (price: string) => ({
  id: newId('si'),
  object: 'subscription_item' as const,
  price: { id: price, object: 'price' as const },
});

const createSubscription = (params: URLSearchParams): StripeReply => {
  const customer = params.get('customer') ?? '';
  if (!customers.has(customer)) return missing('customer');
  const invoice = newId('in');
  const created: Subscription = {
    id: newId('sub'),
    object: 'subscription',
    customer,
    status: params.get('payment_behavior') === 'default_incomplete' ? 'incomplete' : 'active',
    items: { object: 'list', data: [itemOf(params.get('items[0][price]') ?? '')] },
    latest_invoice: {
      id: invoice,
      object: 'invoice',
      status: 'open',
      hosted_invoice_url: `https://invoice.stripe.test/${invoice}`,
    },
  };
  subscriptions.set(created.id, created);
  return ok(created);
};

const changeSubscription = (found: Subscription, params: URLSearchParams): StripeReply => {
  const [item] = found.items.data;
  if (!item || item.id !== params.get('items[0][id]')) return missing('subscription_item');
  if (found.status === 'incomplete') return rejected(400, { type: 'invalid_request_error', message: 'It is incomplete' });
  item.price.id = params.get('items[0][price]') ?? '';
  return ok(found);
};

/** References are ids unless they are expanded. */
const shown = (found: Subscription, params: URLSearchParams): unknown =>
  params.get('expand[0]') === 'latest_invoice' ? found : { ...found, latest_invoice: found.latest_invoice.id };

const onSubscription = (id: string, { method, params }: StripeCall): StripeReply => {
  const found = subscriptions.get(id);
  if (!found) return missing('subscription');
  if (method === 'GET') return ok(shown(found, params));
  if (method === 'POST') return changeSubscription(found, params);
  found.status = 'canceled';
  return ok(found);
};

const voidInvoice = (id: string): StripeReply => {
  const found = [...subscriptions.values()].find(({ latest_invoice }) => latest_invoice.id === id)?.latest_invoice;
  if (!found) return missing('invoice');
  if (found.status !== 'open' || paying.has(id))
    return rejected(400, {
      type: 'invalid_request_error',
      message: "You can only pass in open invoices. This invoice isn't open.",
    });
  found.status = 'void';
  return ok(found);
};

const listSubscriptions = (params: URLSearchParams): StripeReply =>
  ok({
    object: 'list',
    has_more: false,
    url: '/v1/subscriptions',
    data: [...subscriptions.values()].filter(
      ({ customer, status }) => customer === params.get('customer') && status !== 'canceled',
    ),
  });

const handle = (call: StripeCall): StripeReply => {
  const { method, path, params } = call;
  if (method === 'POST' && path === '/v1/customers') return createCustomer(params);
  if (method === 'GET' && path === '/v1/subscriptions') return listSubscriptions(params);
  if (method === 'POST' && path === '/v1/subscriptions') return createSubscription(params);
  const [, invoice] = /^\/v1\/invoices\/(\w+)\/void$/.exec(path) ?? [];
  if (invoice !== undefined) return voidInvoice(invoice);
  const [, id] = /^\/v1\/subscriptions\/(\w+)$/.exec(path) ?? [];
  return id === undefined ? missing('path') : onSubscription(id, call);
};

/** A repeated key has the first response, also a failure; with other parameters it is an error. */
export const callBilling = (call: StripeCall, isBroken = false): StripeReply => {
  calls.push(`${call.method} ${call.path}`);
  const { idempotencyKey: key, params } = call;
  const known = key === undefined ? undefined : replies.get(key);
  if (known && known.params !== String(params)) return rejected(400, { type: 'idempotency_error', message: 'Other parameters' });
  const reply = known?.reply ?? (isBroken ? rejected(500, { type: 'api_error', message: 'failed' }) : handle(call));
  if (key !== undefined) replies.set(key, { params: String(params), reply });
  return reply;
};

/** What customers, banks and the operator do. */
export const setSubscription = (id: string, params: URLSearchParams): StripeReply => {
  const found = subscriptions.get(id);
  if (!found) return missing('subscription');
  if (params.get('status') === 'paying') {
    paying.add(found.latest_invoice.id);
    return ok(found);
  }
  found.status = params.get('status') ?? found.status;
  found.latest_invoice.status = found.status === 'active' ? 'paid' : 'open';
  return ok(found);
};
