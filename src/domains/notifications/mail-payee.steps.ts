import type { InternalEventPayloads } from '../../contracts/internal-events.ts';
import type { Context } from '../../platform/context.ts';
import { firstRow } from '../../platform/database/sql.ts';
import { db } from '../tables.ts';
import { findAffiliateFacts } from './mail-facts.queries.ts';
import { manyPayoutsMail, payoutToClaimMail } from './mails/payout-mails.ts';
import { writeBoundedMail } from './write-mail.steps.ts';

/** How to claim a payment that waits at the provider: once when it begins to wait, and once before that ends. */
export const mailPayee = async (
  ctx: Context,
  { payoutId, merchantId, affiliateId, rail, n, since, claimBy }: InternalEventPayloads['payout.claim_needed'],
): Promise<void> => {
  const affiliate = await findAffiliateFacts(ctx, affiliateId);
  const payout = await firstRow(
    ctx.em,
    db.selectFrom('payout').select(['amount', 'currency', 'method']).where('id', '=', payoutId),
  );
  if (!affiliate || !payout) return;
  const kind = 'payout_to_claim';
  const mail = {
    kind,
    subjectId: payoutId,
    merchantId,
    recipient: affiliate.email,
    period: `${since.toISOString()} ${n}`,
    content: payoutToClaimMail({ ...affiliate, payoutId, ...payout }, { rail, claimBy, isReminder: n > 0 }),
  } as const;
  // The payouts may be of several merchants.
  await writeBoundedMail(ctx, mail, { subjectId: affiliate.profileId, merchantId: null, content: manyPayoutsMail(kind) });
};
