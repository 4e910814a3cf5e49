import type { CustomerStatus, Period } from '../../../contracts/conversions.ts';
import { type Context, onlyMerchantOf, profileOf } from '../../../platform/context.ts';
import type { Given } from '../../../platform/database/compiled.ts';
import { firstRow, type RawBuilder, rows, sql } from '../../../platform/database/sql.ts';
import { anyOf } from '../../../platform/database/table.ts';
import { invariant } from '../../../platform/errors.ts';
import { list } from '../../../platform/http/lists.ts';
import type { Page } from '../../../platform/http/operation.ts';
import type { PageQuery } from '../../../platform/http/pages.ts';
import { countedTotal } from '../../merchants/index.ts';
import { db } from '../../tables.ts';
import { startOf } from '../conversions.queries.ts';
import { type CustomerView, type MyCustomerView, toCustomer, toMyCustomer } from './customers.wire.ts';

const SHOWN = [
  'id',
  'programId',
  'affiliateId',
  'status',
  'externalId as customerId',
  'attributedAt',
  'identifiedAt',
  'firstPaidAt',
  'createdAt',
] as const;

/** Customers that signed up or paid, with the ids that they have. */
const customer = () =>
  db
    .selectFrom('customer')
    .select(SHOWN)
    .select(
      sql<string[]>`array(select i.value from customer_identity i where i.customer_id = customer.id and i.kind = 'id'
        order by i.created_at, i.value)`.as('customerIds'),
    )
    .where('status', 'is not', null)
    .$narrowType<{ status: CustomerStatus; customerId: string }>();

interface CustomerFilter {
  merchantId: string;
  programId?: string | undefined;
  affiliateId?: string | undefined;
  status?: CustomerStatus | undefined;
  customerId?: string | undefined;
  startDate?: string | undefined;
  endDate?: string | undefined;
}

/** Ids of a merchant's customers who have an id: a look-up in each program, as it is unique there. */
const named = (merchantId: RawBuilder<string>, customerId: RawBuilder<string>): RawBuilder<readonly string[]> =>
  sql`array(${db
    .selectFrom('program as p')
    .crossJoinLateral((eb) =>
      eb
        .selectFrom('customer_identity as i')
        .select('i.customerId')
        .whereRef('i.programId', '=', 'p.id')
        .where('i.kind', '=', sql.lit('id'))
        .where('i.value', '=', customerId)
        .offset(sql.lit(0))
        .as('found'),
    )
    .select('found.customerId')
    .where('p.merchantId', '=', merchantId)})`;

const customers = list({
  name: 'customers',
  query: ({ merchantId, programId, affiliateId, status, customerId, startDate, endDate }: Given<CustomerFilter>) => {
    let query = customer().where('merchantId', '=', merchantId);
    if (programId) query = query.where('programId', '=', programId);
    if (affiliateId) query = query.where('affiliateId', '=', affiliateId);
    if (status) query = query.where('status', '=', status);
    if (customerId) query = query.where('id', '=', anyOf(named(merchantId, customerId)));
    if (startDate) query = query.where('createdAt', '>=', startDate);
    return endDate ? query.where('createdAt', '<', endDate) : query;
  },
  total: ({ merchantId, programId, affiliateId, status, customerId, startDate, endDate }) =>
    (affiliateId ?? customerId ?? startDate ?? endDate) === undefined
      ? countedTotal('customer', merchantId, { programId, statuses: status && sql`array[${status}]` })
      : undefined,
  toItem: toCustomer,
});

/** Everybody who signed up or paid, the newest first. */
export const listCustomers = (
  ctx: Context,
  merchantId: string,
  { programId, affiliateId, status, customerId, startDate, endDate, ...page }: PageQuery & Omit<CustomerFilter, 'merchantId'>,
): Promise<Page<CustomerView>> =>
  customers(ctx, page, { merchantId, programId, affiliateId, status, customerId, startDate, endDate });

export const getCustomer = async (ctx: Context, id: string): Promise<CustomerView> => {
  const [found] = await rows(ctx.em, customer().where('id', '=', id));
  invariant(found, 'the customer signed up or paid');
  return toCustomer(found);
};

interface Shown {
  profileId: string;
  programId: string | undefined;
  status: CustomerStatus | undefined;
  /** The only merchant whose customers are shown. */
  merchantId: string | undefined;
}

const myCustomers = list({
  name: 'my-customers',
  query: ({ profileId, programId, status, merchantId }: Given<Shown>) => {
    let own = db.selectFrom('affiliate').select('affiliate.id').where('affiliate.profileId', '=', profileId);
    if (programId) own = own.where('affiliate.programId', '=', programId);
    if (merchantId) own = own.where('affiliate.merchantId', '=', merchantId);
    const query = db
      .selectFrom('customer')
      .select(SHOWN)
      .where('affiliateId', '=', anyOf(sql<readonly string[]>`array(${own})`))
      .where('status', 'is not', null)
      .$narrowType<{ status: CustomerStatus; customerId: string; affiliateId: string }>();
    return status ? query.where('status', '=', status) : query;
  },
  toItem: toMyCustomer,
});

/** Lists the caller's customers in all programs or one, newest first. Another affiliate's program has none. */
export const listMyCustomers = (
  ctx: Context,
  {
    program_id: programId,
    status,
    ...page
  }: PageQuery & { program_id?: string | undefined; status?: CustomerStatus | undefined },
): Promise<Page<MyCustomerView>> =>
  myCustomers(ctx, page, { profileId: profileOf(ctx), programId, status, merchantId: onlyMerchantOf(ctx) });

export interface CustomerCounts {
  leads: number;
  customers: number;
}

/** Customers of affiliates who signed up and who first paid in a period. A template: two ranges of indexes in one round trip. */
export const countCustomers = async (
  ctx: Context,
  merchantId: string,
  { programId, period }: { programId?: string | undefined; period: Period },
): Promise<CustomerCounts> => {
  const from = startOf(ctx, period)?.toISOString();
  const count = (time: 'c.identifiedAt' | 'c.firstPaidAt') =>
    db
      .selectFrom('customer as c')
      .innerJoin('program as p', 'p.id', 'c.programId')
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .where('p.merchantId', '=', merchantId)
      .$if(programId !== undefined, (query) => query.where('p.id', '=', programId ?? ''))
      .where('c.affiliateId', 'is not', null)
      .where(time, 'is not', null)
      .$if(from !== undefined, (query) => query.where(time, '>=', from ?? ''));
  const found = await firstRow(
    ctx.em,
    sql<CustomerCounts>`select (${count('c.identifiedAt')}) as leads, (${count('c.firstPaidAt')}) as customers`,
  );
  invariant(found, 'counts are one row');
  return found;
};
