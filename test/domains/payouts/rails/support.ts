import { randomUUID } from 'node:crypto';
import type { OnlineRail, SentAttempt, TransferOrder } from '../../../../src/domains/payouts/rails/rail.ts';
import { createSandboxRail } from '../../../../src/domains/payouts/rails/sandbox.ts';
import { systemClock } from '../../../../src/platform/clock.ts';
import type { Sandbox } from '../../../support/sandbox.ts';
import { until } from '../../../support/until.ts';

export const railOf = (sandbox: Sandbox): OnlineRail =>
  createSandboxRail({ ...sandbox, clock: systemClock, submitDeadlineMs: 1_000, lookUpDeadlineMs: 2_000 });

/** The attempt that sent this order, without a response that named the provider's id. */
export const sent = (order: TransferOrder): SentAttempt => ({
  ...order,
  railReference: null,
  references: {},
});

/** An order of its own payout, to the address with this local part. */
export const orderFor = (local: string): TransferOrder => {
  const reference = randomUUID();
  return {
    idempotencyKey: `${reference}/1`,
    reference,
    amountMinor: 12_500,
    currency: 'eur',
    details: { method: 'paypal', paypalEmail: `${local}@example.com`, bankIban: null, bankBic: null, bankAccountHolder: null },
  };
};

/** Looks the transfer up until the provider says so, and returns what it said then. */
export const untilOutcome = (rail: OnlineRail, order: TransferOrder, outcome: 'paid' | 'failed' | 'returned') =>
  until(
    `the transfer is ${outcome}`,
    () => rail.lookUp(sent(order)),
    (found) => found.outcome === outcome,
  );
