import { type Context, inTransaction } from '../../../platform/context.ts';
import { lockName } from '../../../platform/database/lock-name.ts';
import { firstRow } from '../../../platform/database/sql.ts';
import { parseEmail } from '../../../platform/email.ts';
import { invalidField } from '../../../platform/errors.ts';
import { nameLine } from '../../../platform/http/schemas.ts';
import { db } from '../../tables.ts';
import { Merchant } from '../merchant.entity.ts';
import { newMerchant } from '../new-merchant.steps.ts';

export interface CreateMerchantInput {
  companyName: string;
  /** Stored in lower case. */
  email: string;
}

/** Creates a merchant with the default settings. 422 for the address of another merchant: most likely a repeated command. */
export const createMerchant = (ctx: Context, input: CreateMerchantInput): Promise<Merchant> =>
  inTransaction(ctx, async (ctx) => {
    const companyName = nameLine(100).safeParse(input.companyName);
    if (!companyName.success) throw invalidField('companyName', 'must be one line of 1 to 100 characters');
    const email = parseEmail(input.email)?.toLowerCase();
    if (email === undefined) throw invalidField('email', 'must be an email address');
    await lockName(ctx, `merchant-email:${email}`);
    const known = await ctx.em.findOne(Merchant, { email });
    if (known) throw invalidField('email', `is that of merchant ${known.id} already`);
    const person = await firstRow(ctx.em, db.selectFrom('person').select('id').where('email', '=', email));
    return newMerchant(ctx, { companyName: companyName.data, email, userId: person?.id ?? ctx.ids.next() });
  });
