import type { SaleProvider } from '../../../contracts/conversions.ts';
import { type Context, inTransaction } from '../../../platform/context.ts';
import { execute, sql } from '../../../platform/database/sql.ts';
import { lockProgramShared } from '../../programs/index.ts';
import { assertNotInFuture } from '../assert-not-in-future.ts';
import { getJoinedAt } from '../attribution.queries.ts';
import { type Attribution, isBeforeJoining, type UnusedEvidence } from '../attribution.ts';
import { recordOf } from '../attribution-record.ts';
import { creditSales } from '../credit-sales.ts';
import { findMatch } from '../find-match.ts';
import { findFollowers } from '../late-evidence.ts';
import type { SaleEvidence } from '../sale-input.ts';
import type { SaleResult } from '../sale-result.ts';
import { customerLock } from '../sales.queries.ts';

export interface NewIdentification {
  provider: SaleProvider;
  customerId: string;
  customerEmailDigest: string | null;
  customerEmailDomain: string | null;
  evidence: SaleEvidence;
  occurredAt: Date;
  payloadHash: string;
}

export type IdentifyCustomerInput = NewIdentification & { programId: string };

/**
 * A sign-up or trial attributes a customer, so that later sales need no evidence of their own. Sales of the last 24 hours that
 * had no match and occurred after it are attributed. One per customer and affiliate: a duplicate changes nothing.
 */
export const identifyCustomer = (ctx: Context, input: IdentifyCustomerInput): Promise<SaleResult> =>
  inTransaction(ctx, async (ctx) => {
    assertNotInFuture(ctx, input.occurredAt);
    const customer = { programId: input.programId, customerId: input.customerId };
    const program = await lockProgramShared(ctx, customer.programId, [customerLock(customer)]);
    if (program.status !== 'active') return UNATTRIBUTED;
    const { match, unused } = await findMatch(ctx, { ...input, program });
    if (!match) return UNATTRIBUTED;
    // A sign-up counts from its own time, unless the payment system says since when the customer is attributed.
    const attribution = input.evidence.attributedAt ? match : { ...match, at: input.occurredAt };
    if (isBeforeJoining(attribution.at, { joinedAt: await getJoinedAt(ctx, match.affiliateId) })) return UNATTRIBUTED;
    const identificationId = ctx.ids.next();
    const stored = await insertIdentification(ctx, { ...input, identificationId, attribution, unused });
    if (stored === 0) return { outcome: 'duplicate', conversionId: null };
    await creditSales(ctx, program, await findFollowers(ctx, customer, attribution, { identificationId }));
    return { outcome: 'recorded', conversionId: null };
  });

const UNATTRIBUTED: SaleResult = { outcome: 'unattributed', conversionId: null };

type Identified = IdentifyCustomerInput & {
  identificationId: string;
  attribution: Attribution;
  unused: readonly UnusedEvidence[];
};

/** Returns 0 when the customer was identified with this affiliate before. */
const insertIdentification = (ctx: Context, { attribution, unused, ...input }: Identified): Promise<number> =>
  execute(
    ctx.em,
    sql`insert into customer_identification (id, program_id, provider, customer_id, customer_email_digest, customer_email_domain,
        affiliate_id, method, attributed_at, evidence, payload_hash, occurred_at, created_at)
      values (${input.identificationId}::uuid, ${input.programId}::uuid, ${input.provider}, ${input.customerId},
        ${input.customerEmailDigest}, ${input.customerEmailDomain}, ${attribution.affiliateId}::uuid, ${attribution.method},
        ${attribution.at.toISOString()}::timestamptz, ${JSON.stringify(recordOf(ctx, attribution, unused))}::jsonb,
        ${input.payloadHash}, ${input.occurredAt.toISOString()}::timestamptz, ${ctx.clock.now().toISOString()}::timestamptz)
      on conflict (program_id, customer_id, affiliate_id) do nothing`,
  );
