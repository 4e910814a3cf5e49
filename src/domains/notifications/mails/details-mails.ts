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
  if (undo) return `Didn't make this change? Restore your previous details by ${formatTime(undo.until)}: ${undo.url}`;
  return companyName === null
    ? "Didn't make this change? Revoke your API keys, correct the details, and contact the companies that pay you."
    : "Didn't expect this? Contact the company before it pays.";
};

const effectOf = ({ companyName, undo }: DetailsChangedMail): string => {
  if (companyName !== null) return `${plain(companyName)} entered new details for its own payouts to you.`;
  return undo
    ? 'Nothing is paid to the new details for 72 hours. Payouts created after that go to them.'
    : 'Payouts created from now on go to the new details.';
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
  footer: "You receive this because payouts to you go to these details, or went to this address before. It can't be turned off.",
});

/** To an address that a merchant entered: nobody knows whose it is, so it can be turned off. */
export const oldAddressMail = (content: MailContent): MailContent => ({
  ...content,
  footer: 'You receive this because a company that pays you entered this address.',
});

/** To a PayPal address that a person entered: it may be that of somebody else. */
export const newAddressMail = ({ at }: Pick<DetailsChangedMail, 'at'>): MailContent => ({
  subject: 'Payouts go to this address',
  heading: 'Payouts go to this address',
  paragraphs: ['Someone entered this address as the PayPal account for their affiliate commissions.'],
  sections: [{ title: null, facts: [['Entered at', formatTime(at)]] }],
  steps: ["Didn't expect this? You don't have to do anything. Nothing is taken from your account."],
  footer: 'You receive this because someone entered this address to get paid.',
});

/** After the person brought the previous details back. */
export const detailsRestoredMail = ({ at }: Pick<DetailsChangedMail, 'at'>): MailContent => ({
  subject: 'Your previous payout details are back',
  heading: 'Your previous payout details are back',
  paragraphs: [
    'You are signed out everywhere, and passkeys and API keys that were added since shortly before the change no longer work. Only payouts created before you restored your details may still go to the other ones.',
  ],
  sections: [{ title: null, facts: [['Restored at', formatTime(at)]] }],
  steps: ["Sign in, check your payout details, and remove passkeys and API keys that you don't recognize."],
  footer: "You receive this because payouts to you go to these details. It can't be turned off.",
});

/** Instead of further mails about single changes. */
export const manyDetailsChangesMail = ({ at, companyName, undo }: Omit<DetailsChangedMail, 'method'>): MailContent => ({
  subject: 'Your payout details were changed many times',
  heading: 'Your payout details were changed many times',
  paragraphs: [
    companyName === null
      ? 'Your payout details were changed many times within a day. We email you about further changes once an hour.'
      : `${plain(companyName)} changed the details for its own payouts to you many times within a day. We email you about further changes once an hour.`,
  ],
  sections: [{ title: null, facts: [['Changed at', formatTime(at)]] }],
  steps: [stepOf({ companyName, undo })],
  footer: "You receive this because payouts to you go to these details. It can't be turned off.",
});
