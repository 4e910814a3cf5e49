import { createHash } from 'node:crypto';
import type { DifferenceKind, DifferenceSide } from '../../contracts/reconciliation.ts';
import { maskReceiver } from '../payouts/index.ts';
import type { ComparedAccount } from './accounts.queries.ts';
import { type Finding, type OurPayment, stateOf } from './compare.rules.ts';
import type { TheirPayment } from './tally.rules.ts';

/** A difference as a comparison found it. */
export interface FoundDifference {
  fingerprint: string;
  kind: DifferenceKind;
  isExplained: boolean;
  payoutId: string | null;
  merchantId: string | null;
  programId: string | null;
  ours: DifferenceSide | null;
  theirs: DifferenceSide | null;
  occurredAt: Date;
  /** Set where the payee may have been paid already. */
  missing: TheirPayment | null;
}

/** Providers choose their words and ids. */
const MAX_TEXT = 120;
const cut = (text: string): string => text.replace(/[^\x20-\x7e]/g, '?').slice(0, MAX_TEXT);

/** The one that differs, else the first one. */
const feeOf = (fees: OurPayment['fees'], currency: string | null) =>
  currency === null ? fees[0] : fees.find((fee) => fee.currency === currency);

const sideOfOurs = (ours: OurPayment, feeCurrency: string | null): DifferenceSide => ({
  state: ours.outcome,
  amount: ours.amountMinor,
  currency: ours.currency,
  fee: feeOf(ours.fees, feeCurrency)?.amountMinor ?? null,
  feeCurrency: feeOf(ours.fees, feeCurrency)?.currency ?? null,
  destination: ours.receiver && cut(maskReceiver(ours.receiver)),
  reference: ours.idempotencyKey,
  payments: 1,
  at: ours.sentAt.toISOString(),
});

const sideOfTheirs = (theirs: TheirPayment, feeCurrency: string | null = null): DifferenceSide => ({
  state: cut(stateOf(theirs)),
  amount: theirs.amountMinor,
  currency: cut(theirs.currency),
  fee: feeOf(theirs.fees, feeCurrency)?.amountMinor ?? null,
  feeCurrency: cut(feeOf(theirs.fees, feeCurrency)?.currency ?? '') || null,
  destination: theirs.receiver && cut(maskReceiver(theirs.receiver)),
  reference: cut(theirs.id),
  payments: theirs.payments,
  at: theirs.occurredAt.toISOString(),
});

/** Equal for the same difference of the same payment, whenever it is found. */
const fingerprintOf = ({ rail, railAccountId }: ComparedAccount, parts: readonly string[]): string =>
  createHash('sha256')
    .update(JSON.stringify([rail, railAccountId, ...parts]))
    .digest('hex');

/** A difference of a payment that our books have. */
export const differenceOf = (
  account: ComparedAccount,
  ours: OurPayment,
  theirs: TheirPayment | null,
  { kind, isExplained, facts, feeCurrency }: Finding,
): FoundDifference => ({
  fingerprint: fingerprintOf(account, [kind, ours.idempotencyKey, facts]),
  kind,
  isExplained,
  payoutId: ours.payoutId,
  merchantId: ours.merchantId,
  programId: ours.programId,
  ours: sideOfOurs(ours, feeCurrency),
  theirs: theirs && sideOfTheirs(theirs, feeCurrency),
  occurredAt: ours.sentAt,
  missing: null,
});

/** A payment that only the provider has. `owner` is of the payout that it names, where that exists. */
export const missingHereOf = (
  account: ComparedAccount,
  theirs: TheirPayment,
  owner: { payoutId: string; merchantId: string; programId: string } | null,
): FoundDifference => ({
  fingerprint: fingerprintOf(account, ['missing_here', theirs.idempotencyKey ?? theirs.reference ?? theirs.id]),
  kind: 'missing_here',
  isExplained: false,
  payoutId: owner?.payoutId ?? null,
  merchantId: owner?.merchantId ?? account.merchantId,
  programId: owner?.programId ?? null,
  ours: null,
  theirs: sideOfTheirs(theirs),
  occurredAt: theirs.occurredAt,
  missing: theirs,
});
