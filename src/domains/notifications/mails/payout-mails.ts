import type { PayoutMethod } from '../../../contracts/affiliates.ts';
import type { FailureCode } from '../../../contracts/payouts.ts';
import { faultClassOf, type Rail } from '../../../contracts/rails.ts';
import { FAILURE_TEXTS } from '../../../contracts/workflows/payout.texts.ts';
import { upperFirst } from '../../../contracts/workflows/text.ts';
import { type MailContent, oneLine, type PageLink, plain } from '../mail-content.rules.ts';
import { formatAmount } from './format.ts';

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

const ALWAYS = 'Mails about payouts that failed cannot be switched off.';
const CHOICE = 'Choose which emails you get';

const footerOf = ({ programName }: PayoutMail): string =>
  `You receive this because you are an affiliate of ${plain(programName)}.`;
const chosenAt = (text: string): PageLink => ({ text: `${text} ${CHOICE}`, page: '/portal/notifications' });

/** `remittance`: URL of the remittance advice, which needs no key. */
export const payoutCompletedMail = (payout: PayoutMail, { remittance }: { remittance: string }): MailContent => ({
  subject: `You were paid ${formatAmount(payout.amount, payout.currency)} by ${plain(payout.companyName)}`,
  heading: `You were paid ${formatAmount(payout.amount, payout.currency)}`,
  paragraphs: [
    'The payment was made to the payout details that you had when the payout was created. Banks may take a few days to show it.',
  ],
  sections: factsOf(payout),
  steps: [`Read or print what you were paid for, within 30 days: ${remittance}`],
  footer: chosenAt(footerOf(payout)),
});

const CORRECT: PageLink = { text: 'Check your payout details, and correct them if they are wrong', page: '/portal/details' };
const NOTHING = 'You do not have to do anything.';

/** Why, and what the affiliate may do. */
const FAILURES: Readonly<Record<FailureCode, readonly [reason: string, step: string | PageLink]>> = {
  cancelled: ['The payout was cancelled before it was sent.', NOTHING],
  approval_expired: ['The payout was not approved in time.', NOTHING],
  marked_failed: ['The payment could not be made.', CORRECT],
  rail_rejected: ['The payment provider rejected the payment.', CORRECT],
  invalid_details: ['The payment provider did not accept your payout details.', CORRECT],
  returned: ['The payment came back: the receiving account did not accept it.', CORRECT],
  no_rail: ['Your payout method cannot be used at the moment.', NOTHING],
  affiliate_blocked: [
    'Your membership is blocked, so nothing is paid at the moment.',
    'Contact the company that runs the program.',
  ],
  items_held: ['Commissions of the payout are held while sales are in dispute or under review.', NOTHING],
  resolved_not_paid: ['It turned out that the payment did not arrive.', CORRECT],
};

interface PayoutFailure {
  failureCode: FailureCode;
  rail: Rail;
  /** The provider's own code. */
  railReason: string | null;
}

/** Better details help nothing where the fault is certainly another's. */
const isOfOthers = ({ rail, railReason }: PayoutFailure): boolean => {
  const fault = railReason === null ? null : faultClassOf(rail, railReason);
  return fault !== null && fault !== 'payee' && fault !== 'unclear';
};

export const payoutFailedMail = (payout: PayoutMail, failure: PayoutFailure): MailContent => {
  const [reason, step] = FAILURES[failure.failureCode];
  return {
    subject: `Your payout of ${formatAmount(payout.amount, payout.currency)} failed`,
    heading: `Your payout of ${formatAmount(payout.amount, payout.currency)} failed`,
    paragraphs: [`${reason} The money is not lost: it is part of your balance again.`],
    sections: factsOf(payout),
    steps: [isOfOthers(failure) ? NOTHING : step],
    footer: `${footerOf(payout)} ${ALWAYS}`,
  };
};

const MANY = {
  payout_completed: {
    heading: 'More of your payouts were paid',
    paragraph: 'So many of your payouts were paid within an hour that there is no mail for each of the others.',
    steps: [],
  },
  payout_failed: {
    heading: 'More of your payouts failed',
    paragraph:
      'So many of your payouts failed within an hour that there is no mail for each of the others. The money is not lost: it is part of your balance again.',
    steps: [CORRECT],
  },
} as const;

const AFFILIATE = 'You receive this because you are an affiliate.';

/** More of one kind than an affiliate is told about one by one in an hour. */
export const manyPayoutsMail = (kind: keyof typeof MANY): MailContent => {
  const { heading, paragraph, steps } = MANY[kind];
  return {
    subject: heading,
    heading,
    paragraphs: [paragraph],
    sections: [],
    steps: [{ text: 'See all of them', page: '/portal/payouts' }, ...steps],
    footer: kind === 'payout_completed' ? chosenAt(AFFILIATE) : `${AFFILIATE} ${ALWAYS}`,
  };
};

export interface DetailsRejectedMail {
  method: PayoutMethod;
  /** Who entered the details. Null: the person did. */
  companyName: string | null;
  /** The provider's own code. */
  railReason: string;
}

export const detailsRejectedMail = ({ method, companyName, railReason }: DetailsRejectedMail): MailContent => ({
  subject: 'You cannot be paid to your payout details',
  heading: 'You cannot be paid to your payout details',
  paragraphs: [
    companyName === null
      ? 'Several payments to your payout details were refused, so nothing more is sent there. The money is not lost: it is part of your balance.'
      : `Several payments to the payout details that ${plain(companyName)} entered for you were refused, so nothing more is sent there. The money is not lost: it is part of your balance.`,
  ],
  sections: [
    {
      title: null,
      facts: [
        ['Payout method', methodName(method)],
        ['Reason given', upperFirst(FAILURE_TEXTS[railReason] ?? oneLine(railReason.replaceAll('_', ' ')))],
      ],
    },
  ],
  steps:
    companyName === null
      ? [
          { text: 'Correct your payout details', page: '/portal/details' },
          {
            text: 'If they are right, ask your bank or PayPal why it refuses payments, and then confirm them',
            page: '/portal/details',
          },
        ]
      : [
          { text: 'Tell the company the right details, or enter your own', page: '/portal/details' },
          'If they are right, ask your bank or PayPal why it refuses payments.',
        ],
  footer: 'You receive this because payouts to you go to these details. It cannot be switched off.',
});
