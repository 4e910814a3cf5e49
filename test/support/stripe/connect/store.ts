import { randomBytes } from 'node:crypto';

/* What the double of Stripe Connect remembers: as its documentation describes it, for what transfers need. */

export const newId = (prefix: string): string => `${prefix}_${randomBytes(8).toString('hex')}`;
export const nowSeconds = (): number => Math.floor(Date.now() / 1_000);

export interface Transfer {
  id: string;
  object: 'transfer';
  amount: number;
  amount_reversed: number;
  balance_transaction: string;
  created: number;
  currency: string;
  description: null;
  destination: string;
  destination_payment: string;
  livemode: boolean;
  metadata: Record<string, string>;
  reversals: { object: 'list'; data: Reversal[]; has_more: boolean; url: string };
  reversed: boolean;
  source_transaction: null;
  source_type: string;
  transfer_group: string | null;
}

export interface Reversal {
  id: string;
  object: 'transfer_reversal';
  amount: number;
  balance_transaction: string;
  created: number;
  currency: string;
  destination_payment_refund: null;
  metadata: Record<string, string>;
  source_refund: null;
  transfer: string;
}

export interface Booking {
  id: string;
  object: 'balance_transaction';
  amount: number;
  available_on: number;
  balance_type: 'payments';
  created: number;
  currency: string;
  description: null;
  exchange_rate: null;
  fee: number;
  fee_details: unknown[];
  net: number;
  reporting_category: string;
  source: string;
  status: 'available';
  type: 'transfer' | 'transfer_refund';
}

export interface Webhook {
  id: string;
  url: string;
  connect: boolean;
  secret: string;
  enabled_events: string[];
  metadata: Record<string, string>;
  created: number;
}

export interface Payee {
  id: string;
  api: 'v1' | 'v2';
  country: string;
  email: string;
  /** Status of the capability for transfers. */
  status: 'active' | 'pending' | 'restricted' | 'unsupported';
  due: string[];
}

/** An account with a secret key, and those that are connected to it. */
export interface Platform {
  id: string;
  balances: Map<string, number>;
  transfers: Transfer[];
  bookings: Booking[];
  webhooks: Webhook[];
  payees: Map<string, Payee>;
  replies: Map<string, { params: string; reply: Reply }>;
  /** Requests for transfers that were executed, by transfer group. */
  executions: Map<string, number>;
}

export interface Reply {
  status: number;
  body: unknown;
  headers?: Record<string, string>;
}

const platforms = new Map<string, Platform>();

/** Keys are `sk_test_platform_<name>`; any other is wrong. */
export const platformOf = (secretKey: string): Platform | null => {
  if (!/^[sr]k_(test|live)_platform_\w+$/.test(secretKey)) return null;
  const id = `acct_${secretKey.replace(/^.*_platform_/, '')}`;
  const known = platforms.get(id);
  if (known) return known;
  const made: Platform = {
    id,
    balances: new Map(),
    transfers: [],
    bookings: [],
    webhooks: [],
    payees: new Map(),
    replies: new Map(),
    executions: new Map(),
  };
  platforms.set(id, made);
  return made;
};

export const ok = (body: unknown): Reply => ({ status: 200, body });
export const refused = (status: number, error: { type: string; code?: string; message: string; param?: string }): Reply => ({
  status,
  body: { error },
});
export const invalid = (code: string, param?: string): Reply =>
  refused(400, { type: 'invalid_request_error', code, message: code, ...(param === undefined ? {} : { param }) });

/** `limit` and `starting_after`, newest first. Pages are small, so that callers have to ask for the next. */
export const pageOf = <T extends { id: string }>(url: string, all: readonly T[], params: URLSearchParams): Reply => {
  const newest = all.toReversed();
  const after = params.get('starting_after');
  const from = after === null ? 0 : newest.findIndex(({ id }) => id === after) + 1;
  const size = Math.min(Number(params.get('limit') ?? 10), 25);
  return ok({ object: 'list', url, data: newest.slice(from, from + size), has_more: newest.length > from + size });
};
