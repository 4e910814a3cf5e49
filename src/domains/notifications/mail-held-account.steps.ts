import type { InternalEventPayloads } from '../../contracts/internal-events.ts';
import { labelOf } from '../../contracts/rails.ts';
import type { Context } from '../../platform/context.ts';
import { faultWord } from '../../texts/rail-accounts.merchant.en.ts';
import { type MailContent, oneLine } from './mail-content.rules.ts';
import { findMerchantAddress } from './mail-facts.queries.ts';
import { formatTime } from './mails/format.ts';
import { writeMail } from './write-mail.steps.ts';

type Held = InternalEventPayloads['rail_account.held'];

export const heldAccountMail = ({ rail, code, since }: Pick<Held, 'rail' | 'code' | 'since'>): MailContent => ({
  subject: `Payouts from your ${labelOf(rail)} account are on hold`,
  heading: `Payouts from your ${labelOf(rail)} account are on hold`,
  paragraphs: [
    `${oneLine(faultWord(rail, code))}.`,
    'Payouts from this account wait, and nothing is lost. We try again by ourselves, at longer and longer intervals.',
  ],
  sections: [{ title: null, facts: [['Since', formatTime(since)]] }],
  steps: [
    {
      text: 'See what is missing, mend it, then choose “Check now” to send the payouts that wait',
      page: '/console/settings',
    },
  ],
  footer: "You receive this email because your payouts are on hold. It can't be turned off.",
});

/** One mail for each hold. */
export const mailHeldAccount = async (ctx: Context, { merchantId, accountId, rail, code, since }: Held): Promise<void> => {
  const merchant = await findMerchantAddress(ctx, merchantId);
  if (!merchant) return;
  const mail = { kind: 'rail_account_held', subjectId: accountId, merchantId, recipient: merchant.email } as const;
  await writeMail(ctx, { ...mail, period: since.toISOString(), content: heldAccountMail({ rail, code, since }) });
};
