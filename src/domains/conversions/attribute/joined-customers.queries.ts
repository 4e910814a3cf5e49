import type { Context } from '../../../platform/context.ts';
import { execute, firstRow, rows, sql } from '../../../platform/database/sql.ts';
import { anyOf } from '../../../platform/database/table.ts';
import { db } from '../../tables.ts';
import type { CreditedSale } from './supersede.steps.ts';

export interface UnsettledCustomer {
  id: string;
  programId: string;
  /** One of the customer's ids. */
  customerId: string;
}

/** Per round; the next round continues with what is left. */
const MAX_CUSTOMERS = 100;

/** Customers who were joined of several, and what that changes about their sales is not done. */
export const listUnsettledCustomers = (ctx: Context): Promise<UnsettledCustomer[]> =>
  rows(
    ctx.em,
    db
      .selectFrom('customer')
      .select(['id', 'programId', 'externalId as customerId'])
      .where('isSettled', '=', sql.lit(false))
      .where('externalId', 'is not', null)
      // In another order each time: some that fail must not hold up the rest.
      .orderBy(sql`random()`)
      .limit(sql.lit(MAX_CUSTOMERS))
      .$narrowType<{ customerId: string }>(),
  );

/** The caller holds the lock of the customer. */
export const markSettled = (ctx: Context, id: string): Promise<number> =>
  execute(ctx.em, db.updateTable('customer').set({ isSettled: true }).where('id', '=', id));

/** A customer in one program, by all ids. */
export interface CustomerPlace {
  programId: string;
  customerIds: readonly string[];
}

/** When the first sale of a customer with a match occurred. */
export const findFirstMatch = async (ctx: Context, { programId, customerIds }: CustomerPlace): Promise<Date | null> => {
  const found = await firstRow(
    ctx.em,
    db
      .selectFrom('sale')
      .select(({ fn }) => fn.min<string | null>('occurredAt').as('at'))
      .where('programId', '=', programId)
      .where('customerId', '=', anyOf(customerIds))
      .where('matchedAffiliateId', 'is not', null),
  );
  return found?.at ? new Date(found.at) : null;
};

/** Bounds the work of one transaction. */
const MAX_SALES = 100;

/**
 * Credited sales of a customer, but for those that a person credited, which are due whatever the commission type: the approved first, then
 * in the order in which they occurred. Locks the sales, before any balance.
 */
export const lockCreditedSales = async (ctx: Context, { programId, customerIds }: CustomerPlace): Promise<CreditedSale[]> => {
  const found = await rows(
    ctx.em,
    db
      .selectFrom('sale as s')
      .innerJoin('conversion as c', 'c.saleId', 's.id')
      .select(['c.id as conversionId', 'c.affiliateId', 'c.status', 'c.approvedAt', 's.occurredAt'])
      .where('s.programId', '=', programId)
      .where('s.customerId', '=', anyOf(customerIds))
      .where('s.affiliateId', 'is not', null)
      .where('c.status', '<>', sql.lit('rejected'))
      .where(sql<boolean>`s.evidence ->> 'rule' is distinct from 'manual'`)
      .orderBy(sql`c.approved_at is null`)
      .orderBy('s.occurredAt')
      .orderBy('s.externalId')
      .limit(sql.lit(MAX_SALES))
      .forUpdate('s'),
  );
  return found.map(({ approvedAt, occurredAt, ...row }) => ({
    ...row,
    approvedAt: approvedAt === null ? null : new Date(approvedAt),
    occurredAt: new Date(occurredAt),
  }));
};
