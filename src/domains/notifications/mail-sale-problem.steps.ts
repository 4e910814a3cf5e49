import type { Context } from '../../platform/context.ts';
import { findMerchantAddress } from './mail-facts.queries.ts';
import { saleProblemMail } from './mails/sale-mails.ts';
import { writeMail } from './write-mail.steps.ts';

/** One on a day: the page lists all problems. */
export const mailSaleProblem = async (ctx: Context, { merchantId }: { merchantId: string }): Promise<void> => {
  const merchant = await findMerchantAddress(ctx, merchantId);
  if (!merchant) return;
  const { email: recipient, companyName } = merchant;
  const period = ctx.clock.now().toISOString().slice(0, 10);
  const content = saleProblemMail({ companyName });
  await writeMail(ctx, { kind: 'sale_problem', subjectId: merchantId, merchantId, recipient, period, content });
};
