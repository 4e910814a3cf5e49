import { emitTransfer } from './events.ts';
import {
  type Booking,
  invalid,
  newId,
  nowSeconds,
  ok,
  type Platform,
  pageOf,
  type Reply,
  type Reversal,
  refused,
  type Transfer,
} from './store.ts';

const KNOWN = ['amount', 'currency', 'destination', 'transfer_group', 'description', 'source_transaction', 'source_type'];
const isKnown = (name: string): boolean => KNOWN.includes(name) || name.startsWith('metadata[') || name.startsWith('expand[');

export const metadataOf = (params: URLSearchParams): Record<string, string> =>
  Object.fromEntries(
    [...params].flatMap(([name, value]) => {
      const field = /^metadata\[(\w+)\]$/.exec(name)?.[1];
      return field === undefined ? [] : [[field, value] as const];
    }),
  );

const book = (platform: Platform, line: Pick<Booking, 'type' | 'amount' | 'currency' | 'source' | 'fee'>): Booking => {
  const id = newId('txn');
  const booking: Booking = {
    ...{ id, object: 'balance_transaction', available_on: nowSeconds(), balance_type: 'payments', created: nowSeconds() },
    ...{ description: null, exchange_rate: null, fee_details: [], net: line.amount - line.fee, reporting_category: line.type },
    ...{ status: 'available', ...line },
  };
  platform.bookings.push(booking);
  const { balances } = platform;
  balances.set(line.currency, (balances.get(line.currency) ?? 0) + line.amount - line.fee);
  return booking;
};

/** Found out before the endpoint runs: such an answer is kept for no key. */
export const malformed = (params: URLSearchParams): Reply | null => {
  const unknown = [...params.keys()].find((name) => !isKnown(name));
  if (unknown !== undefined) return invalid('parameter_unknown', unknown);
  for (const name of ['amount', 'currency', 'destination']) if (!params.get(name)) return invalid('parameter_missing', name);
  return /^[1-9]\d{0,11}$/.test(params.get('amount') ?? '') ? null : invalid('parameter_invalid_integer', 'amount');
};

export const createTransfer = (platform: Platform, params: URLSearchParams): Reply => {
  const [destination, currency] = [params.get('destination') ?? '', params.get('currency') ?? ''];
  const amount = Number(params.get('amount'));
  const payee = platform.payees.get(destination);
  if (!payee) return invalid('resource_missing', 'destination');
  if (payee.status !== 'active') return invalid('insufficient_capabilities_for_transfer');
  if ((platform.balances.get(currency) ?? 0) < amount) return invalid('balance_insufficient');
  const id = newId('tr');
  const hasFee = payee.email.startsWith('fee');
  const booking = book(platform, {
    type: 'transfer',
    amount: -amount,
    currency: hasFee ? 'usd' : currency,
    source: id,
    fee: hasFee ? 7 : 0,
  });
  const group = params.get('transfer_group');
  const transfer: Transfer = {
    ...{ id, object: 'transfer', amount, amount_reversed: 0, balance_transaction: booking.id, created: nowSeconds(), currency },
    ...{ description: null, destination, destination_payment: newId('py'), livemode: false, metadata: metadataOf(params) },
    reversals: { object: 'list', data: [], has_more: false, url: `/v1/transfers/${id}/reversals` },
    ...{ reversed: false, source_transaction: null, source_type: 'card', transfer_group: group },
  };
  platform.transfers.push(transfer);
  platform.executions.set(group ?? '', (platform.executions.get(group ?? '') ?? 0) + 1);
  emitTransfer(platform, 'created', transfer);
  emitTransfer(platform, 'updated', transfer);
  const reply = ok(shown(platform, transfer, params, ''));
  if (payee.email.startsWith('returned')) reverseTransfer(platform, id, new URLSearchParams());
  return reply;
};

export const reverseTransfer = (platform: Platform, id: string, params: URLSearchParams): Reply => {
  const transfer = platform.transfers.find((known) => known.id === id);
  if (!transfer) return invalid('resource_missing', 'id');
  const left = transfer.amount - transfer.amount_reversed;
  const amount = Number(params.get('amount') ?? left);
  if (amount < 1 || amount > left) return invalid('amount_too_large', 'amount');
  const reversalId = newId('trr');
  const { currency } = transfer;
  const booking = book(platform, { type: 'transfer_refund', amount, currency, source: reversalId, fee: 0 });
  const reversal: Reversal = {
    ...{ id: reversalId, object: 'transfer_reversal', amount, balance_transaction: booking.id, created: nowSeconds(), currency },
    ...{ destination_payment_refund: null, metadata: {}, source_refund: null, transfer: id },
  };
  transfer.reversals.data.push(reversal);
  transfer.amount_reversed += amount;
  transfer.reversed = transfer.amount_reversed === transfer.amount;
  emitTransfer(platform, 'reversed', transfer);
  return ok(reversal);
};

const isExpanded = (params: URLSearchParams, path: string): boolean =>
  [...params].some(([name, value]) => name.startsWith('expand[') && value === path);

/** References are ids unless they are expanded. A copy: what is answered, and kept for a key, does not change later. */
const shown = (platform: Platform, transfer: Transfer, params: URLSearchParams, prefix: string): unknown => {
  const isWhole = isExpanded(params, `${prefix}balance_transaction`);
  const booking = isWhole && platform.bookings.find(({ id }) => id === transfer.balance_transaction);
  return structuredClone({ ...transfer, ...(booking ? { balance_transaction: booking } : {}) });
};

const isWithin = ({ created }: { created: number }, params: URLSearchParams): boolean =>
  created >= Number(params.get('created[gte]') ?? 0) && created < Number(params.get('created[lt]') ?? Number.MAX_SAFE_INTEGER);

export const listTransfers = (platform: Platform, params: URLSearchParams): Reply => {
  const group = params.get('transfer_group');
  const found = platform.transfers.filter(
    (transfer) => isWithin(transfer, params) && (group === null || transfer.transfer_group === group),
  );
  const page = pageOf('/v1/transfers', found, params);
  const { data } = page.body as { data: Transfer[] };
  return ok({ ...(page.body as object), data: data.map((transfer) => shown(platform, transfer, params, 'data.')) });
};

export const getTransfer = (platform: Platform, id: string, params: URLSearchParams): Reply => {
  const found = platform.transfers.find((transfer) => transfer.id === id);
  return found
    ? ok(shown(platform, found, params, ''))
    : refused(404, { type: 'invalid_request_error', code: 'resource_missing', message: 'No such transfer' });
};

export const listBookings = (platform: Platform, params: URLSearchParams): Reply => {
  const page = pageOf(
    '/v1/balance_transactions',
    platform.bookings.filter((booking) => isWithin(booking, params)),
    params,
  );
  const { data } = page.body as { data: Booking[] };
  const sources = [...platform.transfers, ...platform.transfers.flatMap(({ reversals }) => reversals.data)];
  const withSource = (booking: Booking) => ({
    ...booking,
    source: sources.find(({ id }) => id === booking.source) ?? booking.source,
  });
  return ok({ ...(page.body as object), data: isExpanded(params, 'data.source') ? data.map(withSource) : data });
};
