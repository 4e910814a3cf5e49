import { recordChange } from '../../../platform/audit-log/record-change.ts';
import { after, DAY_MS } from '../../../platform/clock.ts';
import { type Context, inTransaction } from '../../../platform/context.ts';
import { conflict, invalidField } from '../../../platform/errors.ts';
import { readOwned } from '../../../platform/ownership.ts';
import { lockMembership, readOwnedAffiliate } from '../../affiliates/index.ts';
import type { ProgramRecord } from '../../programs/index.ts';
import type { Attribution } from '../attribute/attribution.rules.ts';
import { moveSale } from '../attribute/move-sale.steps.ts';
import { attributionColumns, recordOf, undecidedOf } from '../attribute/sale-attribution.steps.ts';
import { type SaleView, toSaleView } from '../lists/sales.wire.ts';
import { createConversion } from '../record/create-conversion.steps.ts';
import { lockCustomer, lockCustomerAndProgram } from '../record/customer-lock.queries.ts';
import { closeProblems } from '../record/sale-problem.steps.ts';
import { findConversionId, lockSaleRow } from '../record/sales.queries.ts';
import { Sale } from '../sale.entity.ts';
import { lockStripeObject } from '../stripe/stripe.queries.ts';
import { makeProgramCertain } from '../stripe/stripe-hints.queries.ts';

export interface AttributeSaleInput {
  id: string;
  affiliateId: string;
  note: string;
}

const MAX_AGE_MS = 60 * DAY_MS;

/**
 * A person credits a sale that was credited to nobody. Neither the evidence nor the commission type of the program limits it. A sale
 * whose program is unknown becomes one of the affiliate's program.
 */
export const attributeSale = (ctx: Context, input: AttributeSaleInput): Promise<SaleView> =>
  inTransaction(ctx, async (ctx) => {
    const found = await lockEvents(ctx, readOwned(ctx, 'Sale', await ctx.em.findOne(Sale, { id: input.id })));
    const programId = await getProgramOf(ctx, found, input.affiliateId);
    if (programId !== found.programId) await lockCustomer(ctx, found);
    const { program } = await lockCustomerAndProgram(ctx, { ...found, programId });
    const sale = (await lockSaleRow(ctx, found)) ?? found;
    await assertAttributable(ctx, sale, program);
    const member = await lockMembership(ctx, input.affiliateId);
    if (member.isErased) throw conflict('AFFILIATE_ERASED', 'The data of the affiliate was erased');
    if (member.status === 'blocked') throw conflict('AFFILIATE_BLOCKED', 'The affiliate is blocked');
    const { affiliateId, note } = input;
    const match: Attribution = { affiliateId, method: 'metadata', rule: 'manual', at: sale.occurredAt };
    await moveSale(ctx, sale, programId);
    await makeProgramCertain(ctx, sale);
    await closeProblems(ctx, { saleId: sale.id }, 'The sale was credited manually');
    Object.assign(sale, attributionColumns({ match, reason: null }));
    sale.evidence = recordOf(ctx, match, undecidedOf(sale), note);
    const conversion = await createConversion(ctx, { program, sale, match, member });
    const action = 'sale.attributed';
    await recordChange(ctx, {
      ownerId: program.merchantId,
      action,
      resourceId: sale.id,
      after: { affiliateId },
      hidden: ['note'],
    });
    return toSaleView({ ...sale, unusable: sale.evidence.unusable }, conversion);
  });

/** Events of Stripe may move the sale to another program. */
const lockEvents = async (ctx: Context, sale: Sale): Promise<Sale> => {
  if (sale.provider !== 'stripe') return sale;
  await lockStripeObject(ctx, sale.merchantId, sale.externalId);
  await lockStripeObject(ctx, sale.merchantId, sale.customerId);
  return ctx.em.findOneOrFail(Sale, { id: sale.id }, { refresh: true });
};

const getProgramOf = async (ctx: Context, sale: Sale, affiliateId: string): Promise<string> => {
  const { programId } = await readOwnedAffiliate(ctx, affiliateId);
  if (programId !== sale.programId && sale.reason !== 'PROGRAM_UNKNOWN')
    throw invalidField('affiliateId', "is not a member of the sale's program");
  return programId;
};

const assertAttributable = async (ctx: Context, sale: Sale, { currency }: ProgramRecord): Promise<void> => {
  const conversionId = await findConversionId(ctx, sale.id);
  if (conversionId) throw conflict('ALREADY_ATTRIBUTED', 'The sale was credited to an affiliate already', { conversionId });
  if (sale.occurredAt < after(ctx.clock.now(), -MAX_AGE_MS))
    throw conflict('TOO_OLD', 'Only sales of the last 60 days can be attributed', { occurredAt: sale.occurredAt.toISOString() });
  if (sale.remaining() === 0) throw conflict('SALE_REFUNDED', 'The sale is refunded in full');
  if (sale.currency !== currency)
    throw conflict('OTHER_CURRENCY', "The sale is not in the program's currency", { currency: sale.currency });
};
