import { type Context, emit, inTransaction } from '../../../platform/context.ts';
import { execute, firstRow, sql } from '../../../platform/database/sql.ts';
import { anyOf, json } from '../../../platform/database/table.ts';
import type { ProgramRecord } from '../../programs/index.ts';
import { db } from '../../tables.ts';
import { getJoinedAt } from '../attribute/attribution.queries.ts';
import { type Attribution, isBeforeJoining, type UnusedEvidence } from '../attribute/attribution.rules.ts';
import { findMatch } from '../attribute/find-match.steps.ts';
import { lockLateMatches } from '../attribute/late-evidence.steps.ts';
import { recordOf } from '../attribute/sale-attribution.steps.ts';
import { getCustomer } from '../lists/customers.queries.ts';
import { creditSales } from '../record/credit-sales.steps.ts';
import { type KnownCustomer, lockCustomerAndProgram } from '../record/customer-lock.queries.ts';
import type { SaleResult } from '../record/sale-events.wire.ts';
import { assertNotInFuture, type NewIdentification } from '../record/sale-input.steps.ts';
import { reportUnusable, type UnusableParts } from '../record/unusable-parts.steps.ts';

export type IdentifyCustomerInput = NewIdentification & { programId: string; unusable?: UnusableParts };

/**
 * A sign-up or trial attributes a customer, so that later sales need no evidence of their own. Sales of the last 24 hours that
 * had no match and occurred after it are attributed. One per customer and affiliate: a duplicate changes nothing. Without a match it still
 * tells which identities are of one customer.
 */
export const identifyCustomer = (ctx: Context, input: IdentifyCustomerInput): Promise<SaleResult> =>
  inTransaction(ctx, async (ctx) => {
    assertNotInFuture(ctx, input.occurredAt);
    const { program, customer } = await lockCustomerAndProgram(ctx, input);
    const reported = await reportUnusable(ctx, program.merchantId, input.unusable);
    return { ...(await attribute(ctx, { program, customer }, input)), ...reported };
  });

interface Identifying {
  program: ProgramRecord;
  customer: KnownCustomer;
}

const attribute = async (ctx: Context, { program, customer }: Identifying, input: IdentifyCustomerInput): Promise<SaleResult> => {
  if (program.status !== 'active') return UNATTRIBUTED;
  const { match, unused } = await findMatch(ctx, { ...input, program });
  if (!match) return UNATTRIBUTED;
  // A sign-up counts from its own time, unless the payment system says since when the customer is attributed.
  const attribution = input.evidence.attributedAt ? match : { ...match, at: input.occurredAt };
  if (isBeforeJoining(attribution.at, { joinedAt: await getJoinedAt(ctx, match.affiliateId) })) return UNATTRIBUTED;
  const identificationId = ctx.ids.next();
  if (await isIdentified(ctx, customer, { ...input, ...match })) return { outcome: 'duplicate', conversionId: null };
  await insertIdentification(ctx, { ...input, identificationId, attribution, unused });
  const { merchantId, id: programId } = program;
  await emit(ctx, { type: 'customer.identified', merchantId, programId, data: await getCustomer(ctx, customer.id) });
  await creditSales(
    ctx,
    program,
    await lockLateMatches(ctx, { ...input, customerIds: customer.ids }, attribution, { identificationId }),
  );
  return { outcome: 'recorded', conversionId: null };
};

const UNATTRIBUTED: SaleResult = { outcome: 'unattributed', conversionId: null };

type Identified = IdentifyCustomerInput & {
  identificationId: string;
  attribution: Attribution;
  unused: readonly UnusedEvidence[];
};

/** Whether the customer was identified with this affiliate before, by whatever id. */
const isIdentified = async (
  ctx: Context,
  { ids }: KnownCustomer,
  { programId, affiliateId }: { programId: string; affiliateId: string },
): Promise<boolean> => {
  const before = db
    .selectFrom('customer_identification')
    .select('id')
    .where('programId', '=', programId)
    .where('customerId', '=', anyOf(ids))
    .where('affiliateId', '=', affiliateId)
    .limit(sql.lit(1));
  return (await firstRow(ctx.em, before)) !== null;
};

const insertIdentification = (ctx: Context, { attribution, unused, ...input }: Identified): Promise<number> =>
  execute(
    ctx.em,
    db.insertInto('customer_identification').values({
      id: input.identificationId,
      programId: input.programId,
      provider: input.provider,
      customerId: input.customerId,
      customerEmailDigest: input.customerEmailDigest,
      customerEmailDomain: input.customerEmailDomain,
      affiliateId: attribution.affiliateId,
      method: attribution.method,
      attributedAt: attribution.at.toISOString(),
      evidence: json(recordOf(ctx, attribution, { unused, unusable: input.unusable?.members ?? [] })),
      payloadHash: input.payloadHash,
      occurredAt: input.occurredAt.toISOString(),
      createdAt: ctx.clock.now().toISOString(),
    }),
  );
