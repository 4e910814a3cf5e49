import type { MyPayoutState } from '../../../contracts/situations/my-payout.ts';
import { applicationForAffiliate as applicationsDe } from '../../../texts/application.affiliate.de.ts';
import { applicationForAffiliate as applicationsEn } from '../../../texts/application.affiliate.en.ts';
import { textOf } from '../../../texts/catalogue.ts';
import { payoutForAffiliate as payoutsDe } from '../../../texts/payout.affiliate.de.ts';
import { payoutForAffiliate as payoutsEn } from '../../../texts/payout.affiliate.en.ts';
import { unpayableForAffiliate as unpayableDe } from '../../../texts/unpayable.affiliate.de.ts';
import { unpayableForAffiliate as unpayableEn } from '../../../texts/unpayable.affiliate.en.ts';
import type { Tone } from '../../components/blocks.ts';
import { rowOf } from '../../said.ts';
import type { Language } from '../../texts/texts.ts';

const PAYOUTS = { en: payoutsEn, de: payoutsDe } as const;
const APPLICATIONS = { en: applicationsEn, de: applicationsDe } as const;
const UNPAYABLE = { en: unpayableEn, de: unpayableDe } as const;

const TONES: Readonly<Record<MyPayoutState, Tone>> = {
  to_approve: 'neutral',
  queued: 'neutral',
  sending: 'neutral',
  to_pay: 'neutral',
  on_hold: 'warning',
  under_review: 'warning',
  paid: 'good',
  failed: 'bad',
  cancelled: 'neutral',
  returned: 'bad',
};

/** As operations return it: codes are open sets. */
interface Shown {
  state: string;
  reason: string | null;
  next: string | null;
}

export interface MyPayoutSaid {
  label: string;
  tone: Tone;
  /** Why, and what it means. */
  text: string;
  next: string | null;
}

/** A payout in the words of its affiliate. */
export const myPayoutSaid = ({ state, reason, next }: Shown, language: Language): MyPayoutSaid => {
  const texts = PAYOUTS[language];
  const { label, text } = rowOf(texts.states, state);
  const why = reason === null ? [] : [textOf(rowOf(texts.reasons, reason))];
  return {
    label,
    tone: rowOf(TONES, state),
    text: [...why, text].join(' '),
    next: next === null ? null : textOf(rowOf(texts.next, next)),
  };
};

export const applicationLabel = (state: string, language: Language): string => rowOf(APPLICATIONS[language].states, state).label;

export const unpayableText = (reason: keyof typeof unpayableEn, language: Language): string => UNPAYABLE[language][reason];
