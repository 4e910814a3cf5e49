import type { PayoutMethod } from '../../../contracts/affiliates.ts';
import { type MailContent, plain } from '../mail-content.rules.ts';
import { formatTime } from './format.ts';
import { methodName } from './payout-mails.ts';

export interface DetailsChangedMail {
  at: Date;
  method: PayoutMethod | null;
  /** Null: the details of the person, for all programs. */
  companyName: string | null;
  /** The link that brings the previous details back, for the person alone. */
  undo: { url: string; until: Date } | null;
}

const stepOf = ({ companyName, undo }: Pick<DetailsChangedMail, 'companyName' | 'undo'>): string => {
  if (undo) return `If you did not do this, bring the previous details back until ${formatTime(undo.until)}: ${undo.url}`;
  return companyName === null
    ? 'If you did not do this: revoke your API keys, correct the details, and tell the companies that pay you.'
    : 'If you do not expect this: contact the company before it pays.';
};

const effectOf = ({ companyName, undo }: DetailsChangedMail): string => {
  if (companyName !== null) return `${plain(companyName)} entered new details for its own payouts to you.`;
  return undo
    ? 'Nothing is paid to the new details for 72 hours. After that, payouts that are created go to them.'
    : 'Payouts that are created from now on go to the new details.';
};

/** Names no account: the mail also goes to the address before the change, which may be somebody else's now. */
export const detailsChangedMail = (mail: DetailsChangedMail): MailContent => ({
  subject: 'Your payout details were changed',
  heading: 'Your payout details were changed',
  paragraphs: [effectOf(mail)],
  sections: [
    {
      title: null,
      facts: [
        ['Changed at', formatTime(mail.at)],
        ['Payout method', methodName(mail.method)],
      ],
    },
  ],
  steps: [stepOf(mail)],
  footer:
    'You receive this because payouts to you go to these details, or went to this address before. It cannot be switched off.',
});

/** To an address that a merchant entered: nobody knows whose it is, so it can be switched off. */
export const oldAddressMail = (content: MailContent): MailContent => ({
  ...content,
  footer: 'You receive this because a company that pays you entered this address.',
});

/** To a PayPal address that a person entered: it may be that of somebody else. */
export const newAddressMail = ({ at }: Pick<DetailsChangedMail, 'at'>): MailContent => ({
  subject: 'Payouts go to this address',
  heading: 'Payouts go to this address',
  paragraphs: ['Somebody entered this address as the PayPal account to which their affiliate commissions are paid.'],
  sections: [{ title: null, facts: [['Entered at', formatTime(at)]] }],
  steps: ['If you do not expect this, you need not do anything: nothing is taken from your account.'],
  footer: 'You receive this because somebody entered this address in order to be paid.',
});

/** After the person brought the previous details back. */
export const detailsRestoredMail = ({ at }: Pick<DetailsChangedMail, 'at'>): MailContent => ({
  subject: 'Your previous payout details are back',
  heading: 'Your previous payout details are back',
  paragraphs: [
    'You are signed out everywhere, and passkeys and API keys that were added since shortly before the change no longer work. Nothing was paid to the details that you took back, unless a payout had been created before.',
  ],
  sections: [{ title: null, facts: [['Restored at', formatTime(at)]] }],
  steps: ['Sign in, check your payout details, and remove passkeys and API keys that you do not know.'],
  footer: 'You receive this because payouts to you go to these details. It cannot be switched off.',
});

/** Instead of further mails about single changes. */
export const manyDetailsChangesMail = ({ at, companyName, undo }: Omit<DetailsChangedMail, 'method'>): MailContent => ({
  subject: 'Your payout details were changed many times',
  heading: 'Your payout details were changed many times',
  paragraphs: [
    companyName === null
      ? 'Within a day, your payout details were changed more often than there are mails about it. You are told of further changes once an hour.'
      : `Within a day, ${plain(companyName)} changed the details for its own payouts to you more often than there are mails about it. You are told of further changes once an hour.`,
  ],
  sections: [{ title: null, facts: [['Changed at', formatTime(at)]] }],
  steps: [stepOf({ companyName, undo })],
  footer: 'You receive this because payouts to you go to these details. It cannot be switched off.',
});
