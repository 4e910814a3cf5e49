import { OUTBOX } from '../../../contracts/payout-timeline.texts.ts';
import type { PayoutDetails } from '../../../contracts/payouts.ts';
import type { RailRefusal } from '../../../contracts/rail-refusals.ts';
import type { Rail } from '../../../contracts/rails.ts';
import { type Context, inTransaction } from '../../../platform/context.ts';
import { firstRow } from '../../../platform/database/sql.ts';
import { conflict, invariant } from '../../../platform/errors.ts';
import { db } from '../../tables.ts';
import { readDetails } from '../create/read-details.steps.ts';
import { takeListedReferences } from '../holds/payee-hold.steps.ts';
import { concernsWorkflow, perform } from '../machine/apply.ts';
import { hearAnswer } from '../machine/hear.ts';
import { type LockedPayout, loadHold, lockOwnState, lockState } from '../machine/load.ts';
import { isFinal } from '../machine/state.ts';
import { signalPayoutWorkflow } from '../payout-workflow.steps.ts';
import type { References } from '../rails/answer.ts';
import type { FileRail, Verdict } from '../rails/file-rail.ts';
import type { RailAccount } from '../rails/rail.ts';
import { readRailAccount } from '../rails/rail-accounts.steps.ts';
import { definitionOf } from '../rails/rails.ts';
import { addTimelineEntry } from '../timeline.steps.ts';

/** An attempt that a bank file has. */
export interface FiledAttempt {
  payoutId: string;
  attemptId: string;
  amount: number;
}

/**
 * Begins the payment of a pending payout with a bank file: from the commit on, the bank may execute it. Returns null for a payout that must
 * not be paid any more, which fails, and for one that the bank has paid already, which a person decides. Throws what stands against it now;
 * then it stays pending.
 */
export const putIntoFile = (
  ctx: Context,
  { id, accountId, messageId }: { id: string; accountId: string; messageId: string },
): Promise<FiledAttempt | null> =>
  inTransaction(ctx, async (ctx) => {
    const locked = await lockOwnState(ctx, id);
    const { payout } = locked;
    const isReported = locked.state.status === 'pending' && (await loadHold(ctx, locked)).isReported;
    const isPayable = locked.state.hold === null && !isReported;
    const cause = isPayable ? await findRefusal(ctx, locked, accountId) : null;
    if (cause) throw conflict('RAIL_CANNOT_PAY', `The bank file cannot hold the payout: ${cause}`, { cause, rail: payout.rail });
    locked.accountId = accountId;
    await perform(ctx, locked, { type: 'put_into_file', isReported });
    const { attempt } = locked;
    if (!attempt || isFinal(locked.state)) return null;
    if (isReported) {
      await takeListedReferences(ctx, attempt, payout);
      return null;
    }
    attempt.addReferences({ file: messageId });
    payout.addReference(messageId);
    await addTimelineEntry(ctx, payout, { type: 'file_made', attempt: attempt.n, railReference: messageId });
    return { payoutId: payout.id, attemptId: attempt.id, amount: payout.amount };
  });

/** What a file would say about a payout that waits. */
export interface PlannedFilePayment {
  /** What is known to stand against it now. */
  refusal: { reason: string; cause: RailRefusal | null } | null;
  payee: string;
  payeeAsSent: string;
  isChanged: boolean;
}

interface WaitingPayout {
  id: string;
  details?: string | null;
  rail: Rail;
  amount: number;
  currency: string;
  isPaused: boolean;
  approvalRequiredAt?: string | null;
  approvedAt?: string | null;
}

interface PayingAccount {
  account: RailAccount | null;
  nameOf: FileRail['nameOf'];
}

/** Asks nobody and changes nothing. */
export const planFilePayment = (ctx: Context, payout: WaitingPayout, { account, nameOf }: PayingAccount): PlannedFilePayment => {
  const details = readDetails(ctx, { id: payout.id, details: payout.details ?? null });
  const payee = details?.bankAccountHolder ?? '';
  const { name: payeeAsSent, isChanged } = details ? nameOf({ details }) : { name: '', isChanged: false };
  return { refusal: refusalOf(payout, details, account), payee, payeeAsSent, isChanged };
};

const refusalOf = (
  { rail, amount: amountMinor, currency, isPaused, approvalRequiredAt, approvedAt }: WaitingPayout,
  details: PayoutDetails | null,
  account: RailAccount | null,
): PlannedFilePayment['refusal'] => {
  if (approvalRequiredAt && !approvedAt) return { reason: 'APPROVAL_REQUIRED', cause: null };
  if (isPaused) return { reason: 'RUN_PAUSED', cause: null };
  const cause = details ? definitionOf(rail).canPay({ amountMinor, currency, details }, account) : 'destination';
  return cause && { reason: 'RAIL_CANNOT_PAY', cause };
};

/** The settings of the account may be others than when the payout was created. */
const findRefusal = async (ctx: Context, { payout }: LockedPayout, accountId: string): Promise<RailRefusal | null> => {
  const details = readDetails(ctx, payout);
  if (!details) return 'destination';
  const { account } = await readRailAccount(ctx, accountId);
  return definitionOf(payout.rail).canPay({ amountMinor: payout.amount, currency: payout.currency, details }, account);
};

/** Fails the payment of a file that no bank executes. What has ended stays as it is. Throws RAIL_ACCEPTED. */
export const failDiscarded = (ctx: Context, { id, note }: { id: string; note: string }): Promise<void> =>
  inTransaction(ctx, async (ctx) => {
    const locked = await lockOwnState(ctx, id);
    await perform(ctx, locked, { type: 'file_discarded' }, { note });
  });

/** Whoever downloads a file sees where its payouts are sent. */
export const noteDownload = (ctx: Context, { id, messageId }: { id: string; messageId: string }): Promise<void> =>
  inTransaction(ctx, async (ctx) => {
    const { payout, attempt } = await lockOwnState(ctx, id);
    await addTimelineEntry(ctx, payout, {
      type: 'file_downloaded',
      ...(attempt ? { attempt: attempt.n } : {}),
      railReference: messageId,
    });
  });

/** As a download by the program that carries files. Once for each file: the second call changes nothing. */
export const noteHandover = (ctx: Context, { id, messageId }: { id: string; messageId: string }): Promise<void> =>
  inTransaction(ctx, async (ctx) => {
    const { payout, attempt } = await lockOwnState(ctx, id);
    const noted = db
      .selectFrom('payout_timeline')
      .select('id')
      .where('payoutId', '=', id)
      .where('type', '=', 'file_downloaded')
      .where('reason', '=', OUTBOX)
      .where('railReference', '=', messageId);
    if (await firstRow(ctx.em, noted)) return;
    const of = attempt ? { attempt: attempt.n } : {};
    await addTimelineEntry(ctx, payout, { type: 'file_downloaded', ...of, reason: OUTBOX, railReference: messageId });
  });

/** What a bank says about one payment of a file. */
export interface BankWord extends Verdict {
  payoutId: string;
  references: References;
  /** What a booking moved. Null in a status, which names no amount. */
  money: { amountMinor: number; currency: string } | null;
  /** When it was booked. */
  at: Date | null;
  /** The name was compared before, with the same result. */
  isCheckKnown: boolean;
}

/** Applies it. Returns whether it changed the payout; the second call does not. */
export const hearBank = (ctx: Context, word: BankWord): Promise<boolean> =>
  inTransaction(ctx, async (ctx) => {
    const locked = await lockState(ctx, word.payoutId);
    const { payout, attempt, state: before } = locked;
    invariant(attempt, 'a payment of a file has an attempt');
    attempt.addReferences(word.references);
    for (const reference of Object.values(word.references)) payout.addReference(reference);
    if (word.payeeCheck !== null && !word.isCheckKnown)
      await addTimelineEntry(ctx, payout, { type: 'payee_checked', attempt: attempt.n, reason: word.payeeCheck });
    await decideOnWord(ctx, locked, word);
    if (concernsWorkflow(before, locked.state)) await signalPayoutWorkflow(ctx, payout);
    return JSON.stringify(before) !== JSON.stringify(locked.state);
  });

const decideOnWord = async (ctx: Context, locked: LockedPayout, word: BankWord): Promise<void> => {
  const { payout } = locked;
  const { outcome, money, fault, references, at } = word;
  if (outcome === 'noted') return;
  const isOther = money && (money.amountMinor !== payout.amount || money.currency !== payout.currency);
  if (isOther) return void (await perform(ctx, locked, { type: 'review', reason: 'record_mismatch' }));
  if (outcome === 'needs_person') return void (await perform(ctx, locked, { type: 'review', reason: 'status_unknown' }));
  const railReference = references.booking ?? locked.attempt?.railReference ?? null;
  await hearAnswer(ctx, locked, { outcome, railReference, fault, ...(at ? { occurredAt: at } : {}) });
  // The bank booked it: nobody has to be asked.
  if (outcome === 'returned') await perform(ctx, locked, { type: 'book_return' });
};
