import type { PayoutMethod } from '../../../contracts/affiliates.ts';
import { type MailContent, plain } from '../mail-content.ts';
import { formatTime } from './format.ts';
import { methodName } from './payout-mails.ts';

export interface DetailsChangedMail {
  at: Date;
  method: PayoutMethod | null;
  /** Null: the details of the person, for all programs. */
  companyName: string | null;
}

const stepOf = (companyName: string | null): string =>
  companyName === null
    ? 'If you did not do this: revoke your API keys, correct the details, and tell the companies that pay you.'
    : 'If you do not expect this: contact the company before it pays.';

/** Names no account: the mail also goes to the address before the change, which may be somebody else's now. */
export const detailsChangedMail = ({ at, method, companyName }: DetailsChangedMail): MailContent => ({
  subject: 'Your payout details were changed',
  heading: 'Your payout details were changed',
  paragraphs: [
    companyName === null
      ? 'Payouts that are created from now on go to the new details.'
      : `${plain(companyName)} entered new details for its own payouts to you.`,
  ],
  sections: [
    {
      title: null,
      facts: [
        ['Changed at', formatTime(at)],
        ['Payout method', methodName(method)],
      ],
    },
  ],
  steps: [stepOf(companyName)],
  footer:
    'You receive this because payouts to you go to these details, or went to this address before. It cannot be switched off.',
});

/** To an address that a merchant entered: nobody knows whose it is, so it can be switched off. */
export const oldAddressMail = (content: MailContent): MailContent => ({
  ...content,
  footer: 'You receive this because a company that pays you entered this address.',
});

/** Instead of further mails about single changes. */
export const manyDetailsChangesMail = ({ at, companyName }: Pick<DetailsChangedMail, 'at' | 'companyName'>): MailContent => ({
  subject: 'Your payout details were changed many times',
  heading: 'Your payout details were changed many times',
  paragraphs: [
    companyName === null
      ? 'Within a day, your payout details were changed more often than there are mails about it. You are told of further changes once an hour.'
      : `Within a day, ${plain(companyName)} changed the details for its own payouts to you more often than there are mails about it. You are told of further changes once an hour.`,
  ],
  sections: [{ title: null, facts: [['Changed at', formatTime(at)]] }],
  steps: [stepOf(companyName)],
  footer: 'You receive this because payouts to you go to these details. It cannot be switched off.',
});
