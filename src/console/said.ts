import type { PayoutStateName } from '../contracts/situations/payout.ts';
import type { RunStateName } from '../contracts/situations/payout-run.ts';
import { upperFirst } from '../contracts/workflows/text.ts';
import { type SituationTexts, sentenceOf, textOf } from '../texts/catalogue.ts';
import { leftOutForMerchant } from '../texts/left-out.merchant.en.ts';
import { payoutForMerchant, REPLACED } from '../texts/payout.merchant.en.ts';
import { runForMerchant } from '../texts/payout-run.merchant.en.ts';
import type { Tone } from './components/blocks.ts';

/** A situation in words. */
export interface Said {
  label: string;
  tone: Tone;
  text: string;
  /** What somebody has to do; null when nobody has to do anything. */
  next: string | null;
}

/** As operations return it: codes are open sets. */
interface Shown {
  state: string;
  reason: string | null;
  next: string | null;
}

/** All codes of this installation have a row, which the compiler sees to where catalogues are declared. */
export const rowOf = <Row>(rows: Readonly<Record<string, Row>>, code: string): Row => {
  const row = rows[code];
  if (row === undefined) throw new Error(`no text for ${code}`);
  return row;
};

interface Catalogue {
  texts: SituationTexts<string, string, string>;
  tones: Readonly<Record<string, Tone>>;
}

const said = ({ texts, tones }: Catalogue, { state, reason, next }: Shown, sendCount: number | null): Said => {
  const { label, text } = rowOf(texts.states, state);
  const why = reason === null ? [] : [sentenceOf(textOf(rowOf(texts.reasons, reason), sendCount))];
  return {
    label,
    tone: rowOf(tones, state),
    text: [...why, text].join(' '),
    next: next === null ? null : rowOf(texts.next, next),
  };
};

const PAYOUT_TONES: Readonly<Record<PayoutStateName, Tone>> = {
  to_approve: 'warning',
  queued: 'neutral',
  sending: 'neutral',
  to_pay: 'warning',
  to_put_into_file: 'warning',
  at_bank: 'neutral',
  on_hold: 'warning',
  to_decide: 'bad',
  contradiction: 'bad',
  paid: 'good',
  failed: 'bad',
  cancelled: 'neutral',
  returned: 'bad',
};

const RUN_TONES: Readonly<Record<RunStateName, Tone>> = {
  draft: 'warning',
  to_approve: 'warning',
  running: 'neutral',
  paused: 'warning',
  completed: 'good',
  cancelled: 'neutral',
};

interface ShownPayout {
  situation: Shown;
  sendCount: number | null;
  replacedBy: string | null;
}

/** Nothing is left to do about an amount that another payout includes. */
export const payoutSaid = ({ situation, sendCount, replacedBy }: ShownPayout): Said => {
  if (replacedBy === null) return said({ texts: payoutForMerchant, tones: PAYOUT_TONES }, situation, sendCount);
  const states = {
    ...payoutForMerchant.states,
    [situation.state]: { ...rowOf(payoutForMerchant.states, situation.state), text: REPLACED },
  };
  return said({ texts: { ...payoutForMerchant, states }, tones: PAYOUT_TONES }, { ...situation, next: null }, sendCount);
};

export const runSaid = ({ situation }: { situation: Shown }): Said =>
  said({ texts: runForMerchant, tones: RUN_TONES }, situation, null);

const LEFT_OUT: Readonly<Record<string, string>> = leftOutForMerchant;
const REASONS: Readonly<Record<string, (typeof payoutForMerchant.reasons)[keyof typeof payoutForMerchant.reasons]>> =
  payoutForMerchant.reasons;
const STATES: Readonly<Record<string, { label: string }>> = payoutForMerchant.states;

/** A reason alone, such as why a run did not pay somebody. Codes of failed payouts are an open set: some are states. */
export const reasonText = (code: string): string => {
  const reason = LEFT_OUT[code] ?? REASONS[code] ?? STATES[code]?.label ?? code.replaceAll('_', ' ');
  return upperFirst(textOf(reason));
};
