import { type MailContent, plain } from '../mail-content.rules.ts';
import { MERCHANT_FOOTER } from './application-mails.ts';

/** The page lists the payments: what the mail would name changes while it is read. */
export const saleProblemMail = ({ companyName }: { companyName: string }): MailContent => ({
  subject: `${plain(companyName)}: a payment needs your attention`,
  heading: 'A payment needs your attention',
  paragraphs: [
    "Your payment system reported something that we couldn't book on our own. Until you look at it, an affiliate may be missing a commission, or may keep one for a refunded sale.",
    'You get at most one of these emails a day. The page lists every open case.',
  ],
  sections: [],
  steps: [{ text: 'See what needs a decision', page: '/console/sale-problems' }],
  footer: MERCHANT_FOOTER,
});
