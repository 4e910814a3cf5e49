import type { Context } from '../../../platform/context.ts';
import { firstRow, rows, sql, toIso } from '../../../platform/database/sql.ts';
import { anyOf } from '../../../platform/database/table.ts';
import { db } from '../../tables.ts';

export interface PaymentOfSubscription {
  programIds: readonly string[];
  customerId: string;
  subscriptionId: string;
  externalSaleId: string;
}

/**
 * The program of the other payments of a subscription: of one that points to an affiliate, else of one whose program is certain. Null
 * when there is none.
 */
export const findSubscriptionProgram = async (ctx: Context, of: PaymentOfSubscription): Promise<string | null> => {
  const found = await firstRow(
    ctx.em,
    db
      .selectFrom('sale as s')
      .leftJoin('stripe_hint as h', (join) =>
        join.onRef('h.merchantId', '=', 's.merchantId').onRef('h.externalSaleId', '=', 's.externalId'),
      )
      .select('s.programId')
      .where('s.programId', '=', anyOf(of.programIds))
      .where('s.customerId', '=', of.customerId)
      .where('s.subscriptionId', '=', of.subscriptionId)
      .where('s.externalId', '<>', of.externalSaleId)
      .where(({ eb, or }) => or([eb('s.matchedAffiliateId', 'is not', null), eb('h.receivedFor', 'is', null)]))
      .orderBy(sql`s.matched_affiliate_id is null`)
      .orderBy('s.occurredAt', 'desc')
      .orderBy('s.externalId')
      .limit(sql.lit(1)),
  );
  return found?.programId ?? null;
};

/**
 * Since when each of the programs attributes the customer, under whatever id, by the most recent evidence until `at`. Each part reads one
 * index row. In a program that receives nothing from Stripe, only evidence from there counts: the shop may report the same payment itself.
 */
export const listCustomerPrograms = async (
  ctx: Context,
  {
    programs,
    customerId,
    mailbox,
    at,
  }: {
    programs: readonly { id: string; isConnected: boolean }[];
    customerId: string;
    mailbox: string | null;
    at: Date;
  },
): Promise<{ programId: string; at: string }[]> => {
  const until = at.toISOString();
  const [ids, connected] = [programs.map(({ id }) => id), programs.map(({ isConnected }) => isConnected)];
  const found = await rows(
    ctx.em,
    sql<{
      programId: string;
      at: string;
    }>`select p.id as "programId", last.at from unnest(${ids}::uuid[], ${connected}::boolean[]) as p (id, connected)
      cross join lateral (
        select own.value from customer_identity named join customer_identity own on own.customer_id = named.customer_id and own.kind = 'id'
          where named.program_id = p.id and (named.kind = 'id' and named.value = ${customerId} or named.kind = 'mailbox' and named.value = ${mailbox}
            and (select join_customers_by_email from program where program.id = p.id))
        union select ${customerId}) as own
      cross join lateral (
        (select attributed_at as at from sale where program_id = p.id and customer_id = own.value and attributed_at <= ${until}
          and (p.connected or provider = 'stripe')
          order by attributed_at desc, id desc limit 1)
        union all
        (select attributed_at from customer_identification
          where program_id = p.id and customer_id = own.value and attributed_at <= ${until}
          and (p.connected or provider = 'stripe')
          order by attributed_at desc, id desc limit 1)
        order by at desc limit 1) as last`,
  );
  return found.map((row) => ({ ...row, at: toIso(row.at) }));
};
