import type { Context } from '../../../platform/context.ts';
import { execute, firstRow, rows, sql } from '../../../platform/database/sql.ts';
import { anyOf, json } from '../../../platform/database/table.ts';
import { db } from '../../tables.ts';
import { lateEvidenceSince } from '../attribute/attribution.queries.ts';
import type { StoredStripeEvidence } from './stripe-evidence.rules.ts';

/** What is known of the program of a payment, apart from its sale. */
export interface StripeHint {
  evidence: StoredStripeEvidence;
  /** Programs whose endpoints received the payment. Null: its program is certain, or the payment was not received. */
  receivedFor: readonly string[] | null;
}

/** The caller holds the lock of the payment or invoice. */
export const findStripeHint = (ctx: Context, merchantId: string, externalSaleId: string): Promise<StripeHint | null> =>
  firstRow(
    ctx.em,
    db
      .selectFrom('stripe_hint')
      .select(['evidence', 'receivedFor'])
      .where('merchantId', '=', merchantId)
      .where('externalSaleId', '=', externalSaleId),
  );

/** Takes the place of what was known. The caller holds the lock of the payment or invoice. */
export const storeStripeHint = (
  ctx: Context,
  merchantId: string,
  externalSaleId: string,
  { evidence, receivedFor }: StripeHint,
): Promise<number> => {
  const known = { evidence: json(evidence), receivedFor: receivedFor && sql<string[]>`${receivedFor}::uuid[]` };
  return execute(
    ctx.em,
    db
      .insertInto('stripe_hint')
      .values({ merchantId, externalSaleId, ...known, createdAt: ctx.clock.now().toISOString() })
      .onConflict((conflict) => conflict.columns(['merchantId', 'externalSaleId']).doUpdateSet(known)),
  );
};

/** Nothing that is received later moves the sale. The caller holds the lock of the payment or invoice. */
export const makeProgramCertain = (ctx: Context, sale: { merchantId: string; externalId: string }): Promise<number> =>
  execute(
    ctx.em,
    db
      .updateTable('stripe_hint')
      .set({ receivedFor: null })
      .where('merchantId', '=', sale.merchantId)
      .where('externalSaleId', '=', sale.externalId),
  );

/** A sale whose program is not certain. */
export interface UndecidedSale {
  programId: string;
  customerId: string;
  customerCanonicalDigest: string | null;
  subscriptionId: string | null;
  occurredAt: Date;
  createdAt: Date;
}

/** Null for a sale whose program is certain, and without a sale. */
export const findUndecidedSale = async (
  ctx: Context,
  merchantId: string,
  externalSaleId: string,
): Promise<UndecidedSale | null> => {
  const found = await firstRow(
    ctx.em,
    db
      .selectFrom('stripe_hint as h')
      .innerJoin('program as p', 'p.merchantId', 'h.merchantId')
      .innerJoin('sale as s', (join) =>
        join
          .onRef('s.programId', '=', 'p.id')
          .onRef('s.externalId', '=', 'h.externalSaleId')
          .on('s.provider', '=', sql.lit('stripe')),
      )
      .select(['s.programId', 's.customerId', 's.customerCanonicalDigest', 's.subscriptionId', 's.occurredAt', 's.createdAt'])
      .where('h.merchantId', '=', merchantId)
      .where('h.externalSaleId', '=', externalSaleId)
      .where('h.receivedFor', 'is not', null)
      .limit(sql.lit(1)),
  );
  return found && { ...found, occurredAt: new Date(found.occurredAt), createdAt: new Date(found.createdAt) };
};

/** Bounds the work of one event, as late evidence does. */
const MAX_SALES = 100;

/** Sales of the last day that name one of these discounts or promotion codes, as far as nothing led from them to an affiliate. */
export const listSalesNaming = async (ctx: Context, merchantId: string, ids: readonly string[]): Promise<string[]> => {
  const found = await rows(
    ctx.em,
    db
      .selectFrom('stripe_hint')
      .select('externalSaleId')
      .where('merchantId', '=', merchantId)
      .where('createdAt', '>=', lateEvidenceSince(ctx).toISOString())
      .where(sql<boolean>`jsonb_exists_any(evidence -> 'couponCodes', ${ids}::text[])`)
      .orderBy('createdAt')
      .orderBy('externalSaleId')
      .limit(sql.lit(MAX_SALES)),
  );
  return found.map(({ externalSaleId }) => externalSaleId);
};

/** Sales of a customer that are credited to nobody, because nothing told their program, and that evidence may still attribute. */
export const listUndecidedSales = async (
  ctx: Context,
  { merchantId, programIds, customerIds }: { merchantId: string; programIds: readonly string[]; customerIds: readonly string[] },
): Promise<string[]> => {
  const found = await rows(
    ctx.em,
    db
      .selectFrom('sale as s')
      .innerJoin('stripe_hint as h', (join) =>
        join.on('h.merchantId', '=', merchantId).onRef('h.externalSaleId', '=', 's.externalId'),
      )
      .select('s.externalId')
      .where('s.programId', '=', anyOf(programIds))
      .where('s.customerId', '=', anyOf(customerIds))
      .where('s.provider', '=', sql.lit('stripe'))
      .where('s.reason', 'is not', null)
      .where('s.matchedAffiliateId', 'is', null)
      .where('s.createdAt', '>=', lateEvidenceSince(ctx).toISOString())
      .where('h.receivedFor', 'is not', null)
      .orderBy('s.occurredAt')
      .orderBy('s.externalId')
      .limit(sql.lit(MAX_SALES)),
  );
  return found.map(({ externalId }) => externalId);
};
