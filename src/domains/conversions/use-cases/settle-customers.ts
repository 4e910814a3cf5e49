import { type Context, inTransaction } from '../../../platform/context.ts';
import { lockBalances } from '../../ledger/index.ts';
import { getCustomerHistory, lockUnmatchedSales } from '../attribute/attribution.queries.ts';
import { type AttributionRules, limitOf } from '../attribute/attribution.rules.ts';
import {
  type CustomerPlace,
  findFirstMatch,
  listUnsettledCustomers,
  lockCreditedSales,
  markSettled,
  type UnsettledCustomer,
} from '../attribute/joined-customers.queries.ts';
import { factsOf, toMatchedSale } from '../attribute/late-evidence.steps.ts';
import { type CreditedSale, lockConversions, rejectSuperseded } from '../attribute/supersede.steps.ts';
import { creditSales, type MatchedSale } from '../record/credit-sales.steps.ts';
import { lockCustomerAndProgram } from '../record/customer-lock.queries.ts';

/**
 * Does for customers who were joined what would have been done had they been known as one: evidence of one id attributes sales of the
 * last 24 hours under the others, and the first payment is one. What was approved stays. Returns how many were settled. May be called by
 * several processes, and again after a crash.
 */
export const settleCustomers = async (ctx: Context): Promise<number> => {
  let settled = 0;
  for (const customer of await listUnsettledCustomers(ctx)) {
    // One that fails must not hold up the others.
    const isSettled = await settleCustomer({ ...ctx, em: ctx.em.fork() as Context['em'] }, customer).catch((err: unknown) => {
      ctx.log.error({ err, customerId: customer.id }, 'a joined customer was not settled');
      return false;
    });
    if (isSettled) settled += 1;
  }
  return settled;
};

/** A transaction credits one affiliate: each locks the balances of its own. */
const settleCustomer = async (ctx: Context, customer: UnsettledCustomer): Promise<boolean> => {
  const done = new Set<string>();
  let { next, ids } = await attributeNext(ctx, customer, done);
  while (next !== null) {
    done.add(next);
    ({ next, ids } = await attributeNext(ctx, customer, done));
  }
  return supersede(ctx, customer, ids);
};

/** `ids`: by which the customer was known. */
interface Attributed {
  next: string | null;
  ids: readonly string[];
}

/** Attributes the sales without a match that follow one of the affiliates who are not done, who is the next one; null: nobody is left. */
const attributeNext = (ctx: Context, customer: UnsettledCustomer, done: ReadonlySet<string>): Promise<Attributed> =>
  inTransaction(ctx, async (ctx) => {
    const { customer: known, program } = await lockCustomerAndProgram(ctx, customer);
    if (program.status !== 'active') return { next: null, ids: known.ids };
    const place = { programId: program.id, customerIds: known.ids };
    const matched: MatchedSale[] = [];
    for (const sale of await lockUnmatchedSales(ctx, { ...place, since: new Date(0) })) {
      const { lastMatch } = await getCustomerHistory(ctx, factsOf(sale, known.ids));
      if (!lastMatch || done.has(lastMatch.affiliateId)) continue;
      if (matched.some(({ match }) => match.affiliateId !== lastMatch.affiliateId)) continue;
      matched.push(await toMatchedSale(ctx, { sale, customerIds: known.ids }, lastMatch));
    }
    await creditSales(ctx, program, matched);
    return { next: matched[0]?.match.affiliateId ?? null, ids: known.ids };
  });

/** False for who was joined with another one since: the sales of that one come first, in the next round. */
const supersede = (ctx: Context, customer: UnsettledCustomer, ids: readonly string[]): Promise<boolean> =>
  inTransaction(ctx, async (ctx) => {
    const { customer: known, program } = await lockCustomerAndProgram(ctx, customer);
    if (known.ids.join('\n') !== ids.join('\n')) return false;
    const place = { programId: program.id, customerIds: known.ids };
    const reason = program.commissionType === 'one_time' ? 'NOT_FIRST_PAYMENT' : 'LIMIT_REACHED';
    const notDue = await findNotDue(ctx, program, place);
    if (notDue.length > 0) {
      await lockBalances(
        ctx,
        notDue.map(({ affiliateId }) => affiliateId),
      );
      await rejectSuperseded(
        ctx,
        await lockConversions(
          ctx,
          notDue.map(({ conversionId }) => conversionId),
        ),
        reason,
      );
    }
    await markSettled(ctx, known.id);
    return true;
  });

/** Credited sales whose commission may still be taken back, and is not due. Locks the sales. */
const findNotDue = async (ctx: Context, rules: AttributionRules, place: CustomerPlace): Promise<CreditedSale[]> => {
  if (rules.commissionType === 'recurring') return [];
  const credited = await lockCreditedSales(ctx, place);
  const open = credited.filter(({ approvedAt }) => approvedAt === null);
  const first = await findFirstMatch(ctx, place);
  const until = first && limitOf(rules, first);
  // A first payment that was approved stays the first, whenever it occurred.
  const isFirstOpen = open.length === credited.length;
  const notDue =
    rules.commissionType === 'one_time'
      ? open.slice(isFirstOpen ? 1 : 0)
      : open.filter((sale) => until && sale.occurredAt >= until);
  // A full refund has taken the commission already.
  return notDue.filter(({ status }) => status !== 'refunded');
};
