import type Stripe from 'stripe';
import { z } from 'zod';
import { AppError } from '../../../../platform/errors.ts';
import type { ListedMovement } from '../rail.ts';
import { referencesOf, type StripeTransfer, stripeTransferSchema, transferRecordOf, transferStateOf } from './stripe-answers.ts';
import type { Heard, StripeCalls } from './stripe-library.ts';
import { fromStripeAmount } from './stripe-money.ts';

const DEADLINE_MS = 10_000;
const PAGE = 100;

const text = z.string().max(255);

const reversalSchema = z.object({
  id: text,
  object: z.literal('transfer_reversal'),
  amount: z.int().min(0),
  currency: text,
  transfer: z.union([text, stripeTransferSchema.transform(({ id }) => id)]),
});

const bookingSchema = z.object({
  id: text,
  amount: z.int(),
  fee: z.int(),
  created: z.int(),
  currency: text,
  type: text,
  source: z.unknown(),
});

type Booking = z.output<typeof bookingSchema>;

const FEE_TYPES = ['stripe_fee', 'application_fee', 'tax_fee', 'stripe_fx_fee', 'connect_collection_transfer'];

const timeOf = ({ created }: { created: number }): Date => new Date(created * 1_000);

/** The other party's half of the fields, for what is neither a transfer nor its reversal: it is listed so that the balance agrees. */
const otherOf = (booking: Booking): ListedMovement => ({
  id: booking.id,
  kind: FEE_TYPES.includes(booking.type) ? 'fee' : 'other',
  idempotencyKey: null,
  reference: null,
  references: { booking: booking.id },
  status: 'paid',
  state: booking.type,
  amountMinor: fromStripeAmount(booking.amount, booking.currency),
  currency: booking.currency,
  fee: feeOf(booking),
  receiver: null,
  occurredAt: timeOf(booking),
});

const feeOf = ({ fee, currency }: Booking) => (fee === 0 ? null : { amountMinor: fromStripeAmount(fee, currency), currency });

/** Taken back in full counts as returned, and in part as something that no rail says. */
const STATUSES = { paid: 'paid', reversed: 'returned', partially_reversed: 'unknown' } as const;

export const paymentOf = (transfer: StripeTransfer, booking: Booking): ListedMovement => {
  const state = transferStateOf(transfer);
  const { reference, amountMinor, currency } = transferRecordOf(transfer);
  return {
    id: transfer.id,
    kind: 'payment',
    idempotencyKey: transfer.transfer_group,
    reference: reference === '' ? null : reference,
    references: referencesOf({ ...transfer, balance_transaction: booking.id }),
    status: state === null ? 'unknown' : STATUSES[state],
    state: state ?? 'unreadable',
    amountMinor,
    currency,
    fee: feeOf(booking),
    receiver: transfer.destination,
    occurredAt: timeOf(transfer),
  };
};

const heardValue = <T>(heard: Heard<T>): T => {
  if ('value' in heard) return heard.value;
  throw new AppError('INTERNAL_ERROR', 'Stripe did not list the movements of the account');
};

/**
 * A page of the account's balance: every transfer, reversal and fee, and whatever else changed it. A reversal names its transfer by id only, so
 * that is read unless it is on the page.
 */
export const listMovements = async (
  stripe: StripeCalls,
  { since, until, cursor }: { since: Date; until: Date; cursor: string | undefined },
): Promise<{ movements: ListedMovement[]; next: string | null }> => {
  const created = { gte: Math.floor(since.getTime() / 1_000), lt: Math.ceil(until.getTime() / 1_000) };
  const params: Stripe.BalanceTransactionListParams = {
    ...{ created, limit: PAGE, expand: ['data.source'] },
    ...(cursor === undefined ? {} : { starting_after: cursor }),
  };
  const page = heardValue(await stripe.ask(DEADLINE_MS, (library, options) => library.balanceTransactions.list(params, options)));
  const bookings = z.array(bookingSchema).max(PAGE).parse(page.data);
  const read = new Map<string, StripeTransfer>();
  for (const { source } of bookings) {
    const transfer = stripeTransferSchema.safeParse(source);
    if (transfer.success) read.set(transfer.data.id, transfer.data);
  }
  const movements: ListedMovement[] = [];
  for (const booking of bookings) movements.push(await movementOf(stripe, read, booking));
  return { movements, next: page.has_more ? (bookings.at(-1)?.id ?? null) : null };
};

const movementOf = async (stripe: StripeCalls, read: Map<string, StripeTransfer>, booking: Booking): Promise<ListedMovement> => {
  const transfer = stripeTransferSchema.safeParse(booking.source);
  if (transfer.success) return paymentOf(transfer.data, booking);
  const reversal = reversalSchema.safeParse(booking.source);
  if (!reversal.success) return otherOf(booking);
  const { id, amount, currency, transfer: of } = reversal.data;
  const reversed = read.get(of) ?? (await readTransfer(stripe, of));
  read.set(of, reversed);
  return {
    ...paymentOf(reversed, booking),
    ...{ id, kind: 'return', status: 'returned', state: 'reversed', occurredAt: timeOf(booking) },
    amountMinor: fromStripeAmount(amount, currency),
  };
};

const readTransfer = async (stripe: StripeCalls, id: string): Promise<StripeTransfer> =>
  stripeTransferSchema.parse(
    heardValue(await stripe.ask(DEADLINE_MS, (library, options) => library.transfers.retrieve(id, {}, options))),
  );
