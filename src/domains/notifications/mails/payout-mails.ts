import type { PayoutMethod } from '../../../contracts/affiliates.ts';
import type { FailureCode } from '../../../contracts/payouts.ts';
import { labelOf, type Rail } from '../../../contracts/rails.ts';
import { type MyPayoutNext, situationForAffiliate } from '../../../contracts/situations/my-payout.ts';
import { payoutSituation } from '../../../contracts/situations/payout.ts';
import { type Text, textOf } from '../../../texts/catalogue.ts';
import { payoutForAffiliate } from '../../../texts/payout.affiliate.en.ts';
import { type MailContent, oneLine, type PageLink, plain } from '../mail-content.rules.ts';
import { formatAmount, formatTime } from './format.ts';

const METHODS: Readonly<Record<PayoutMethod, string>> = { paypal: 'PayPal', bank_transfer: 'Bank transfer' };

export const methodName = (method: PayoutMethod | null): string => (method === null ? 'None' : METHODS[method]);

export interface PayoutMail {
  payoutId: string;
  amount: number;
  currency: string;
  method: PayoutMethod | null;
  programName: string;
  companyName: string;
}

const factsOf = (payout: PayoutMail): MailContent['sections'] => [
  {
    title: null,
    facts: [
      ['Amount', formatAmount(payout.amount, payout.currency)],
      ['Program', plain(payout.programName)],
      ['Paid by', plain(payout.companyName)],
      ['Method', methodName(payout.method)],
    ],
  },
];

const ALWAYS = "Emails about failed payouts can't be turned off.";
const CHOICE = 'Choose which emails you get';

const footerOf = ({ programName }: PayoutMail): string =>
  `You receive this because you are an affiliate of ${plain(programName)}.`;
const chosenAt = (text: string): PageLink => ({ text: `${text} ${CHOICE}`, page: '/portal/notifications' });

/** `remittance`: URL of the payout statement, which needs no key. */
export const payoutCompletedMail = (payout: PayoutMail, { remittance }: { remittance: string }): MailContent => ({
  subject: `You were paid ${formatAmount(payout.amount, payout.currency)} by ${plain(payout.companyName)}`,
  heading: `You were paid ${formatAmount(payout.amount, payout.currency)}`,
  paragraphs: [`${payoutForAffiliate.states.paid.text} Banks may take a few days to show it.`],
  sections: factsOf(payout),
  steps: [`View or print your payout statement within 30 days: ${remittance}`],
  footer: chosenAt(footerOf(payout)),
});

const STEPS: Readonly<Record<MyPayoutNext, string | PageLink>> = {
  check_details: { text: textOf(payoutForAffiliate.next.check_details).replace(/\.$/, ''), page: '/portal/details' },
  contact_company: textOf(payoutForAffiliate.next.contact_company),
  claim_payment: textOf(payoutForAffiliate.next.claim_payment),
};

export interface FailedPayout {
  rail: Rail;
  failureCode: FailureCode;
  /** The provider's own code. */
  railReason: string | null;
}

const failed = (payout: FailedPayout) =>
  situationForAffiliate(
    payoutSituation({
      ...payout,
      status: 'failed',
      needsAttention: false,
      reviewReason: null,
      awaitsApproval: false,
      onHold: null,
      attemptOutcome: null,
      approveBy: null,
      decideBy: null,
    }),
    payout,
  );

export const payoutFailedMail = (payout: PayoutMail, failure: FailedPayout): MailContent => {
  const { state, reason, next } = failed(failure);
  const heading = `Your payout of ${formatAmount(payout.amount, payout.currency)} failed`;
  const why = reason === null ? [] : [textOf(payoutForAffiliate.reasons[reason])];
  return {
    subject: heading,
    heading,
    paragraphs: [[...why, payoutForAffiliate.states[state].text].join(' ')],
    sections: factsOf(payout),
    steps: [next === null ? "You don't have to do anything." : STEPS[next]],
    footer: `${footerOf(payout)} ${ALWAYS}`,
  };
};

export interface PaymentToClaim {
  rail: Rail;
  claimBy: Date;
  isReminder: boolean;
}

const ALWAYS_CLAIM = "Emails about payments that wait for you can't be turned off.";

export const payoutToClaimMail = (payout: PayoutMail, { rail, claimBy, isReminder }: PaymentToClaim): MailContent => {
  const provider = labelOf(rail);
  const amount = formatAmount(payout.amount, payout.currency);
  const heading = isReminder ? `Your ${amount} still wait at ${provider}` : `Claim your ${amount} at ${provider}`;
  return {
    subject: heading,
    heading,
    paragraphs: [
      `${plain(payout.companyName)} paid you, and ${provider} waits until you claim the payment: there is no confirmed ${provider} account with the email address that you are paid to.`,
      `If nobody claims it in time, the money goes back to ${plain(payout.companyName)} and is part of your balance again.`,
    ],
    sections: [{ title: null, facts: [...(factsOf(payout)[0]?.facts ?? []), ['Claim by', formatTime(claimBy)]] }],
    steps: [
      `Open ${provider} yourself, sign in or sign up with the email address that you are paid to, and confirm that address`,
      { text: 'If that address is wrong, correct it for later payments', page: '/portal/details' },
    ],
    footer: `${footerOf(payout)} ${ALWAYS_CLAIM}`,
  };
};

const MANY = {
  payout_completed: {
    heading: 'More of your payouts were paid',
    paragraph: 'More of your payouts were paid in the last hour than we email you about one by one.',
    steps: [],
  },
  payout_to_claim: {
    heading: 'More of your payments wait for you',
    paragraph: 'More of your payments wait at the payment provider until you claim them than we email you about one by one.',
    steps: [],
  },
  payout_failed: {
    heading: 'More of your payouts failed',
    paragraph:
      'More of your payouts failed in the last hour than we email you about one by one. The amounts are part of your balance again.',
    steps: [STEPS.check_details],
  },
} as const;

const AFFILIATE = 'You receive this because you are an affiliate.';

/** More of one kind in an hour than an affiliate gets single emails about. */
export const manyPayoutsMail = (kind: keyof typeof MANY): MailContent => {
  const { heading, paragraph, steps } = MANY[kind];
  return {
    subject: heading,
    heading,
    paragraphs: [paragraph],
    sections: [],
    steps: [{ text: 'View all payouts', page: '/portal/payouts' }, ...steps],
    footer:
      kind === 'payout_completed' ? chosenAt(AFFILIATE) : `${AFFILIATE} ${kind === 'payout_failed' ? ALWAYS : ALWAYS_CLAIM}`,
  };
};

export interface DetailsRejectedMail {
  method: PayoutMethod;
  /** Who entered the details. Null: the person did. */
  companyName: string | null;
  /** The provider's own code. */
  railReason: string;
}

/** The provider's word for it, where no text of ours says it. */
const reasonGiven = (railReason: string): string => {
  const reasons: Readonly<Record<string, Text>> = payoutForAffiliate.reasons;
  const known = reasons[railReason];
  return known === undefined ? oneLine(railReason.replaceAll('_', ' ')) : textOf(known);
};

export const detailsRejectedMail = ({ method, companyName, railReason }: DetailsRejectedMail): MailContent => ({
  subject: "We can't pay you with your payout details",
  heading: "We can't pay you with your payout details",
  paragraphs: [
    companyName === null
      ? 'Several payments to your payout details were refused, so no further payments go there. The money stays in your balance.'
      : `Several payments to the payout details that ${plain(companyName)} entered for you were refused, so no further payments go there. The money stays in your balance.`,
  ],
  sections: [
    {
      title: null,
      facts: [
        ['Payout method', methodName(method)],
        ['Reason given', reasonGiven(railReason)],
      ],
    },
  ],
  steps:
    companyName === null
      ? [
          { text: 'Correct your payout details', page: '/portal/details' },
          {
            text: 'If they are right, ask your bank or PayPal why it refuses payments, then confirm them',
            page: '/portal/details',
          },
        ]
      : [
          { text: 'Give the company the right details, or enter your own', page: '/portal/details' },
          'If they are right, ask your bank or PayPal why it refuses payments.',
        ],
  footer: "You receive this because payouts to you go to these details. It can't be turned off.",
});
