import type { InternalEventPayloads } from '../../contracts/internal-events.ts';
import { labelOf } from '../../contracts/rails.ts';
import type { Context } from '../../platform/context.ts';
import { accountButtons } from '../../texts/about-rails.merchant.en.ts';
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
    'Payouts from this account wait. We try one of them again after 15 minutes, then less often.',
  ],
  sections: [{ title: null, facts: [['Since', formatTime(since)]] }],
  steps: [
    {
      text: `Fix this at ${labelOf(rail)}, then choose “${accountButtons.check}” to send the payouts that wait`,
      page: `/console/settings/payout-accounts/${rail}`,
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
