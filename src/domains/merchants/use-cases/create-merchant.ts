import { z } from 'zod';
import type { BillingTier } from '../../../contracts/programs.ts';
import { recordChange } from '../../../platform/audit-log/record-change.ts';
import { type Context, inTransaction } from '../../../platform/context.ts';
import { lockName } from '../../../platform/database/lock-name.ts';
import { firstRow } from '../../../platform/database/sql.ts';
import { invalidField } from '../../../platform/errors.ts';
import { line } from '../../../platform/http/schemas.ts';
import { db } from '../../tables.ts';
import { Merchant } from '../merchant.entity.ts';

declare module '../../../platform/context.ts' {
  interface Settings {
    /** Of new merchants. */
    defaultTier: BillingTier;
  }
}

export interface CreateMerchantInput {
  companyName: string;
  /** Stored in lower case. */
  email: string;
}

const EMAIL = z.email().max(254);

/** Creates a merchant with the default settings. 422 for the address of another merchant: most likely a repeated command. */
export const createMerchant = (ctx: Context, input: CreateMerchantInput): Promise<Merchant> =>
  inTransaction(ctx, async (ctx) => {
    const companyName = line(100).safeParse(input.companyName);
    if (!companyName.success) throw invalidField('companyName', 'must be one line of 1 to 100 characters');
    const email = EMAIL.safeParse(input.email.trim().toLowerCase());
    if (!email.success) throw invalidField('email', 'must be an email address');
    await lockName(ctx, `merchant-email:${email.data}`);
    const known = await ctx.em.findOne(Merchant, { email: email.data });
    if (known) throw invalidField('email', `is that of merchant ${known.id} already`);
    const person = await firstRow(ctx.em, db.selectFrom('person').select('id').where('email', '=', email.data));
    const now = ctx.clock.now();
    const merchant = ctx.em.create(Merchant, {
      id: ctx.ids.next(),
      userId: person?.id ?? ctx.ids.next(),
      companyName: companyName.data,
      email: email.data,
      billingTier: ctx.settings.defaultTier,
      createdAt: now,
      updatedAt: now,
    });
    const { id, billingTier } = merchant;
    await recordChange(ctx, { ownerId: id, action: 'merchant.created', resourceId: id, after: { billingTier } });
    return merchant;
  });
