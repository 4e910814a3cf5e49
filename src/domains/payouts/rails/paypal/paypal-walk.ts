import { randomUUID } from 'node:crypto';
import {
  BATCH_ITEM_TRIGGERS,
  CANCEL_TRIGGERS,
  CREATE_TRIGGERS,
  ITEM_TRIGGERS,
  READ_ERROR_TRIGGERS,
  STATE_OF_REASON,
} from '../../../../contracts/paypal-triggers.ts';
import { SECOND_MS } from '../../../../platform/clock.ts';
import { AppError } from '../../../../platform/errors.ts';
import { toSafeCode } from '../answer.ts';
import type { RailTools, WalkedStep } from '../rail.ts';
import { createRailHttp, type HttpResult } from '../rail-http.ts';
import { PAYPAL_URLS, type PayPalAccount } from './paypal-account.ts';
import { createPayPalCalls, type PayPalCalls } from './paypal-calls.ts';
import { errorOf, itemSchema } from './paypal-wire.ts';

const DEADLINE_MS = 15 * SECOND_MS;
const PAYOUTS = '/v1/payments/payouts';
const ITEMS = '/v1/payments/payouts-item';
/** PayPal's own receiver for tests. */
const RECEIVER = 'payouts-simulator-receiver@paypal.com';

interface Planned {
  step: string;
  expected: string;
  call: Parameters<PayPalCalls['call']>[0];
  got(result: HttpResult): string;
}

const errorText = (result: HttpResult): string => toSafeCode(errorOf(result)?.name ?? `http_${result.status ?? 'none'}`);

/** State of an item, or of a batch's only item, and what it says is wrong. */
const itemText = (result: HttpResult): string => {
  const json = result.json as { items?: unknown[] } | null;
  const read = itemSchema.safeParse(json?.items?.[0] ?? json);
  if (result.status !== 200 || !read.success) return errorText(result);
  return `${toSafeCode(read.data.transaction_status ?? '')} ${toSafeCode(read.data.errors?.name ?? '')}`.trim();
};

const creates = (): Planned[] =>
  Object.entries(CREATE_TRIGGERS).map(([note, error]) => ({
    step: `new batch with the note ${note}`,
    expected: error ?? 'taken',
    call: { method: 'POST', path: PAYOUTS, body: { json: bodyWith(note) }, deadlineMs: DEADLINE_MS },
    got: (result) => (result.status === 201 ? 'taken' : errorText(result)),
  }));

const bodyWith = (note: string) => ({
  sender_batch_header: { sender_batch_id: `walk-${randomUUID()}`, email_subject: 'You have a payout' },
  items: [
    {
      ...{ recipient_type: 'EMAIL', receiver: RECEIVER, note, sender_item_id: randomUUID() },
      amount: { currency: 'USD', value: '1.00' },
    },
  ],
});

const stateText = (reason: string): string => `${STATE_OF_REASON[reason] ?? 'FAILED'} ${reason}`;

const reads = (): Planned[] =>
  (
    [
      ['batch', PAYOUTS, BATCH_ITEM_TRIGGERS],
      ['item', ITEMS, ITEM_TRIGGERS],
    ] as const
  ).flatMap(([what, path, table]) =>
    Object.entries(table).map(([id, reason]) => ({
      step: `read of the ${what} ${id}`,
      expected: stateText(reason),
      call: { method: 'GET' as const, path: `${path}/${id}`, deadlineMs: DEADLINE_MS },
      got: itemText,
    })),
  );

const readErrors = (): Planned[] =>
  Object.entries(READ_ERROR_TRIGGERS).map(([id, error]) => ({
    step: `read of ${id}`,
    expected: error,
    // The first two are ids of batches, the others of items.
    call: { method: 'GET', path: `${id < 'ERRPYO050' ? PAYOUTS : ITEMS}/${id}`, deadlineMs: DEADLINE_MS },
    got: errorText,
  }));

const cancels = (): Planned[] =>
  Object.entries(CANCEL_TRIGGERS).map(([id, error]) => ({
    step: `cancellation of the item ${id}`,
    expected: error ?? 'RETURNED',
    call: { method: 'POST', path: `${ITEMS}/${id}/cancel`, deadlineMs: DEADLINE_MS },
    got: (result) => (result.status === 200 ? (itemText(result).split(' ')[0] ?? '') : errorText(result)),
  }));

/**
 * Sends every documented test value, and compares what comes with what the double says. Payments of one dollar are made with money of the
 * sandbox only.
 */
export const walkPayPalSandbox = async function* (
  account: PayPalAccount,
  { clock, providerUrl = null }: RailTools,
): AsyncIterable<WalkedStep> {
  if (account.environment !== 'sandbox') throw new AppError('BAD_REQUEST', 'Only an account of the sandbox can be walked');
  const http = createRailHttp({ url: providerUrl ?? PAYPAL_URLS.sandbox, headers: {}, clock });
  const calls = createPayPalCalls(http, account, clock);
  try {
    const granted = await calls.grant();
    const isGranted = 'scopes' in granted;
    yield { step: 'token', expected: 'granted', got: isGranted ? 'granted' : errorText(granted), ok: isGranted };
    if (!isGranted) return;
    for (const { step, expected, call, got: read } of [...creates(), ...reads(), ...readErrors(), ...cancels()]) {
      const got = read(await calls.call(call));
      yield { step, expected, got, ok: got === expected };
    }
  } finally {
    await http.close();
  }
};
