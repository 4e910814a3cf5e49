import { z } from 'zod';
import { DAY_MS, SECOND_MS } from '../../../../platform/clock.ts';
import { AppError } from '../../../../platform/errors.ts';
import type { ListedMovement } from '../rail.ts';
import type { PayPalCalls } from './paypal-calls.ts';
import { readPayPalMoney } from './paypal-money.ts';
import { payPalId } from './paypal-wire.ts';

const DEADLINE_MS = 20 * SECOND_MS;
const MAX_BYTES = 4 * 1_024 * 1_024;
/** PayPal takes 31 days at most; a month with a leap second is one too many. */
const WINDOW_MS = 30 * DAY_MS;
const PAGE = 500;
/** PayPal lists three years. */
const OLDEST_MS = 3 * 365 * DAY_MS;

const text = z.string().max(1_000);
const optionalText = text.nullish().catch(null);

/** Reports have names of their own for the same thing. */
const moneySchema = z.object({ currency_code: text, value: text }).transform(({ currency_code: code, value }, issue) => {
  const money = readPayPalMoney(code, value);
  if (money === null) issue.addIssue('no amount');
  return money ?? { amountMinor: 0, currency: code };
});

const transactionSchema = z.object({
  transaction_info: z.object({
    transaction_id: payPalId,
    paypal_reference_id: optionalText,
    paypal_reference_id_type: optionalText,
    transaction_event_code: text,
    transaction_initiation_date: text.transform((time) => new Date(time)).refine((time) => !Number.isNaN(time.getTime())),
    transaction_amount: moneySchema,
    fee_amount: moneySchema.nullish(),
    transaction_status: text,
    custom_field: optionalText,
  }),
  payer_info: z.object({ email_address: optionalText }).nullish().catch(null),
});
type Transaction = z.output<typeof transactionSchema>;

const pageSchema = z.object({
  transaction_details: z.array(transactionSchema).max(PAGE).default([]),
  total_pages: z.int().min(0).max(100_000).default(1),
});

/** Where a list goes on: the start of a window, and the page of it. */
const cursorSchema = z.tuple([z.coerce.number().int().min(0), z.coerce.number().int().min(1).max(100_000)]);

/** Movements of the account by Transaction Search, which is up to three hours late. */
export const listPayPal = async (
  calls: PayPalCalls,
  { since, until, cursor }: { since: Date; until: Date; cursor: string | undefined },
): Promise<{ movements: ListedMovement[]; next: string | null }> => {
  const [from, page] = cursorSchema.parse(cursor?.split(' ') ?? [Math.max(since.getTime(), until.getTime() - OLDEST_MS), 1]);
  const end = Math.min(from + WINDOW_MS, until.getTime());
  const query = new URLSearchParams({
    start_date: new Date(from).toISOString(),
    end_date: new Date(end).toISOString(),
    fields: 'transaction_info,payer_info',
    page_size: String(PAGE),
    page: String(page),
  });
  const path = `/v1/reporting/transactions?${query}`;
  const result = await calls.call({ method: 'GET', path, deadlineMs: DEADLINE_MS, maxBytes: MAX_BYTES });
  const read = pageSchema.safeParse(result.json);
  if (result.status !== 200 || !read.success) throw unlisted(result.status);
  const { transaction_details: details, total_pages: pages } = read.data;
  const following = end < until.getTime() ? `${end} 1` : null;
  return { movements: details.map(movementOf), next: page < pages ? `${from} ${page + 1}` : following };
};

const unlisted = (status: number | null): AppError =>
  new AppError('INTERNAL_ERROR', `PayPal did not list the movements (${status === null ? 'no answer' : `HTTP ${status}`})`);

/** developer.paypal.com/docs/reports/reference/tcodes: payouts, and what comes back of them. */
const KINDS: Readonly<Record<string, ListedMovement['kind']>> = { T0001: 'payment', T1114: 'return', T1115: 'return' };

const STATUSES: Readonly<Record<string, ListedMovement['status']>> = { D: 'failed', P: 'pending', S: 'paid', V: 'returned' };

const movementOf = ({ transaction_info: info, payer_info: payer }: Transaction): ListedMovement => {
  const { transaction_id: id, transaction_event_code: code, transaction_status: state } = info;
  const kind = kindOf(code, info.transaction_amount.amountMinor);
  const fee = info.fee_amount;
  const isOfAnother = kind === 'return' && info.paypal_reference_id_type === 'TXN';
  const transaction = (isOfAnother && info.paypal_reference_id) || id;
  const listed = STATUSES[state] ?? 'unknown';
  const { amountMinor, currency } = info.transaction_amount;
  return {
    ...{ id, kind, idempotencyKey: null, reference: info.custom_field || null, references: { transaction } },
    ...{ status: kind === 'return' && listed === 'paid' ? 'returned' : listed, state: `${code} ${state}` },
    // What is not a payment may go either way.
    ...{ amountMinor: kind === 'other' ? amountMinor : Math.abs(amountMinor), currency },
    fee: fee ? { amountMinor: Math.abs(fee.amountMinor), currency: fee.currency } : null,
    ...{ receiver: payer?.email_address ?? null, occurredAt: info.transaction_initiation_date },
  };
};

/** What others pay to the account has the same code. */
const kindOf = (code: string, amountMinor: number): ListedMovement['kind'] => {
  const kind = KINDS[code] ?? (code.startsWith('T01') ? 'fee' : 'other');
  return kind === 'payment' && amountMinor > 0 ? 'other' : kind;
};

const balancesSchema = z.object({
  balances: z.array(z.object({ currency: text, available_balance: moneySchema.nullish(), total_balance: moneySchema })).max(200),
});

/** Throws when PayPal does not show them. */
export const readBalances = async (calls: PayPalCalls): Promise<Record<string, number>> => {
  const path = '/v1/reporting/balances?currency_code=ALL';
  const result = await calls.call({ method: 'GET', path, deadlineMs: DEADLINE_MS });
  const read = balancesSchema.safeParse(result.json);
  if (result.status !== 200 || !read.success) throw unlisted(result.status);
  const held = read.data.balances.map(({ available_balance: free, total_balance: total }) => free ?? total);
  return Object.fromEntries(held.map(({ currency, amountMinor }) => [currency, amountMinor]));
};
