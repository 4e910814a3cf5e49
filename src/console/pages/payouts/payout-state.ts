import type { OperationSuccess } from '../../../api/pipeline/call-operation.ts';
import { failureAdviceOf } from '../../../contracts/failure-advice.ts';
import { REVIEW_TEXTS } from '../../../contracts/payout-timeline.texts.ts';
import type { PayoutStatus } from '../../../contracts/payouts.ts';
import { isPaidByPerson, RAILS } from '../../../contracts/rails.ts';
import { FAILURE_TEXTS } from '../../../contracts/workflows/payout.texts.ts';
import { upperFirst } from '../../../contracts/workflows/text.ts';
import type { Tone } from '../../components/blocks.ts';

export type PayoutData = OperationSuccess<'listPayouts'>['data'][number];

/** Where a payout is, for people. */
export interface PayoutState {
  label: string;
  tone: Tone;
  text: string;
  /** What somebody has to do; null when nobody has to do anything. */
  next: string | null;
}

const sentence = (text: string): string => `${upperFirst(text)}.`;

export const isByHand = ({ rail }: Pick<PayoutData, 'rail'>): boolean => isPaidByPerson(rail);

export const awaitsApproval = ({ status, approvalRequiredAt, approvedAt }: PayoutData): boolean =>
  status === 'pending' && approvalRequiredAt !== null && approvedAt === null;

export const railLabel = ({ rail }: Pick<PayoutData, 'rail'>): string => (isByHand({ rail }) ? 'by hand' : RAILS[rail].label);

const reviewState = ({ reviewReason }: PayoutData): PayoutState => {
  const text = sentence(reviewReason === null ? 'the outcome cannot be determined automatically' : REVIEW_TEXTS[reviewReason]);
  const isContradiction = reviewReason === 'contradiction' || reviewReason === 'return_unconfirmed';
  const next = isContradiction
    ? 'Ask the provider and the affiliate whether the money arrived, then say so below. Until then the affiliate is paid nothing else.'
    : 'Search for the payout at the provider. If it was paid, mark it as paid; if it was not and never will be, mark it as failed.';
  return { label: 'Needs a decision', tone: 'bad', text, next };
};

const pendingState = (payout: PayoutData): PayoutState => {
  if (awaitsApproval(payout))
    return {
      label: 'Waits for approval',
      tone: 'warning',
      text: 'Nothing is sent before a second person has approved it.',
      next: 'Check the amount and the payee, then approve or refuse it.',
    };
  if (isByHand(payout))
    return {
      label: 'Waits to be paid by hand',
      tone: 'warning',
      text: 'Nothing was paid yet.',
      next: 'Begin the payment. From then on the payout can no longer be cancelled.',
    };
  return { label: 'Pending', tone: 'neutral', text: 'It will be sent by itself.', next: null };
};

const failedState = (payout: PayoutData): PayoutState => {
  const { failureCode, railReason } = payout;
  const code = failureCode ?? 'unknown';
  const reason = FAILURE_TEXTS[code] ?? code.replaceAll('_', ' ');
  const advice = failureAdviceOf(payout);
  const text = `${sentence(railReason === null ? reason : `${reason} (${railReason})`)} The amount is payable again.`;
  if (code === 'cancelled') return { label: 'Cancelled', tone: 'neutral', text, next: null };
  const next = advice === null ? 'Retry it, or leave the amount to the next run.' : sentence(advice);
  return { label: code === 'returned' ? 'Returned' : 'Failed', tone: 'bad', text, next };
};

const STATES: Readonly<Record<PayoutStatus, (payout: PayoutData) => PayoutState>> = {
  pending: pendingState,
  processing: (payout) =>
    isByHand(payout)
      ? {
          label: 'Being paid by hand',
          tone: 'warning',
          text: 'Somebody began to pay it.',
          next: "Pay as the instructions say, then mark it as paid with the bank's reference.",
        }
      : { label: 'Being paid', tone: 'neutral', text: 'The provider has the order. Its outcome is followed.', next: null },
  completed: () => ({ label: 'Paid', tone: 'good', text: 'The affiliate has the money.', next: null }),
  failed: failedState,
};

/** The state of a payout in plain words. */
export const stateOf = (payout: PayoutData): PayoutState =>
  payout.needsAttention ? reviewState(payout) : STATES[payout.status](payout);
