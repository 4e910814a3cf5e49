import type { InternalEvent } from '../../contracts/internal-events.ts';
import type { DifferenceKind } from '../../contracts/reconciliation.ts';
import { after, HOUR_MS } from '../../platform/clock.ts';
import type { Context } from '../../platform/context.ts';
import { rows, sql } from '../../platform/database/sql.ts';
import { findMerchantAddress } from './mail-facts.queries.ts';
import { differencesMail, paymentsHeldMail } from './mails/reconciliation-mails.ts';
import { writeMail } from './write-mail.steps.ts';

// A template: a listener knows no domain, and so none of their tables.

/** Longer than a day, so that a difference of a comparison that was cut off is told after the next one. */
const NEW_MS = 36 * HOUR_MS;

/** One on a day, and none while nothing new is open. */
export const mailDifferences = async (ctx: Context, { merchantId }: { merchantId: string }): Promise<void> => {
  const now = ctx.clock.now();
  const open = await rows(
    ctx.em,
    sql<{ kind: DifferenceKind; count: number; isNew: boolean }>`select kind, count(*)::int as count,
        bool_or(created_at > ${after(now, -NEW_MS).toISOString()}) as "isNew"
      from reconciliation_difference where merchant_id = ${merchantId}::uuid and status = 'open' group by kind order by kind`,
  );
  const merchant = open.some(({ isNew }) => isNew) ? await findMerchantAddress(ctx, merchantId) : null;
  if (!merchant) return;
  const { email: recipient, companyName } = merchant;
  const period = now.toISOString().slice(0, 10);
  const content = differencesMail({ companyName, open });
  await writeMail(ctx, { kind: 'reconciliation', subjectId: merchantId, merchantId, recipient, period, content });
};

/** Once for each hold. */
export const mailPaymentsHeld = async (
  ctx: Context,
  { holdId, merchantId, cause }: Extract<InternalEvent, { type: 'payments.held' }>,
): Promise<void> => {
  const merchant = await findMerchantAddress(ctx, merchantId);
  if (!merchant) return;
  const { email: recipient, companyName } = merchant;
  const content = paymentsHeldMail({ companyName, cause });
  await writeMail(ctx, { kind: 'payments_held', subjectId: merchantId, merchantId, recipient, period: holdId, content });
};
