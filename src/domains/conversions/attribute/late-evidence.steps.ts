import type { Context } from '../../../platform/context.ts';
import type { MatchedSale } from '../record/credit-sales.steps.ts';
import type { Sale } from '../sale.entity.ts';
import { getCustomerHistory, lockUnmatchedSales, type SaleFacts } from './attribution.queries.ts';
import type { Attribution, UnusedEvidence } from './attribution.rules.ts';
import { attributionColumns, isOwnEvidence, recordOf, undecidedOf } from './sale-attribution.steps.ts';

/** What the attribution of a stored sale depends on. */
export const factsOf = (sale: Sale, customerIds: readonly string[]): SaleFacts => {
  const { programId, provider, externalId, subscriptionId, occurredAt } = sale;
  return { programId, provider, externalId, customerIds, subscriptionId: subscriptionId ?? null, occurredAt };
};

/** A stored sale to attribute by evidence that came after it. Its row must be locked. */
export const toMatchedSale = async (
  ctx: Context,
  { sale, customerIds }: { sale: Sale; customerIds: readonly string[] },
  match: Attribution,
  unused: readonly UnusedEvidence[] = undecidedOf(sale).unused,
): Promise<MatchedSale> => {
  const facts = factsOf(sale, customerIds);
  return {
    facts,
    match,
    history: await getCustomerHistory(ctx, facts),
    store: async (attribution) => {
      // What it follows attributes nobody: evidence of its own may still come.
      if (!attribution.match && !isOwnEvidence(match.rule)) return sale;
      Object.assign(sale, attributionColumns(attribution));
      sale.evidence = recordOf(ctx, attribution.match, { ...undecidedOf(sale), unused });
      return sale;
    },
  };
};

/**
 * The customer's sales of the last 24 hours that had no match and that new evidence attributes, as it does the customer from its own
 * time on. `source` is the sale or the sign-up that brought it; such a sale is not among them.
 */
export const lockLateMatches = async (
  ctx: Context,
  customer: { programId: string; customerIds: readonly string[] },
  match: Attribution,
  source: { saleId: string } | { identificationId: string },
): Promise<MatchedSale[]> => {
  const { affiliateId, method, at } = match;
  const rule = 'saleId' in source ? 'customer' : 'identification';
  const late: Attribution = { affiliateId, method, at, rule, ...source };
  const matched: MatchedSale[] = [];
  for (const sale of await lockUnmatchedSales(ctx, { ...customer, since: at })) {
    if (!('saleId' in source) || sale.id !== source.saleId)
      matched.push(await toMatchedSale(ctx, { sale, customerIds: customer.customerIds }, late));
  }
  return matched;
};
