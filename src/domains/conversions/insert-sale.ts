import type { Context } from '../../platform/context.ts';
import { execute, sql } from '../../platform/database/sql.ts';
import type { AttributionRecord } from './attribution.ts';
import type { AttributionColumns } from './sale-attribution.ts';
import type { NewSale } from './sale-input.ts';

export interface SaleRow extends NewSale, AttributionColumns {
  id: string;
  merchantId: string;
  evidence: AttributionRecord;
  disputedAt: Date | null;
  createdAt: Date;
}

/** Stores a sale that was not received before. */
export const insertSale = async (ctx: Context, sale: SaleRow): Promise<void> => {
  await execute(
    ctx.em,
    sql`insert into sale (id, merchant_id, program_id, provider, external_id, payload_hash, amount, charged_gross, currency,
        customer_id, customer_email_digest, customer_canonical_digest, customer_email_domain, subscription_id, stripe_session_id, metadata, affiliate_id,
        method, matched_affiliate_id, matched_method, attributed_at, evidence, reason, disputed_at, occurred_at, created_at)
      values (${sale.id}, ${sale.merchantId}, ${sale.programId}, ${sale.provider}, ${sale.externalId}, ${sale.payloadHash},
        ${sale.amount}, ${sale.chargedGross}, ${sale.currency}, ${sale.customerId}, ${sale.customerEmailDigest},
        ${sale.customerCanonicalDigest}, ${sale.customerEmailDomain}, ${sale.subscriptionId}, ${sale.stripeSessionId},
        ${sale.metadata && JSON.stringify(sale.metadata)}, ${sale.affiliateId}, ${sale.method}, ${sale.matchedAffiliateId},
        ${sale.matchedMethod}, ${sale.attributedAt}, ${JSON.stringify(sale.evidence)}, ${sale.reason}, ${sale.disputedAt},
        ${sale.occurredAt}, ${sale.createdAt})`,
  );
};
