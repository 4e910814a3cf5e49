import { type Context, callerOf, grantIdOf } from '../../../platform/context.ts';
import { firstRow, rows, sql, toIso } from '../../../platform/database/sql.ts';
import { conflict, notFound } from '../../../platform/errors.ts';
import { type PageUrl, signPageUrl } from '../../../platform/http/signed-page.ts';
import { db } from '../../tables.ts';
import { maskDestination } from '../create/destination.rules.ts';
import { readFirstItems } from '../create/payout-items.queries.ts';
import { readDetails } from '../create/read-details.steps.ts';
import { paidAtOf } from '../manual/payment-time.steps.ts';
import type { Payout } from '../payout.entity.ts';
import { getPayout } from '../payouts.queries.ts';
import type { Remittance } from './remittance-page.rules.ts';

/** Commissions and adjustments that a page lists one by one. */
const MAX_ITEMS = 1_000;

/** A URL for the caller. NOT_COMPLETED for a payout that was not paid, or whose money came back. */
export const getPayoutRemittance = async (ctx: Context, payoutId: string): Promise<PageUrl> => {
  const { status } = await getPayout(ctx, payoutId);
  if (status !== 'completed') throw notCompleted(status);
  return signPageUrl(ctx, 'remittances', { id: payoutId, grantId: grantIdOf(callerOf(ctx)) });
};

/** As `getPayoutRemittance`, of a payout to the caller. */
export const getMyPayoutRemittance = (ctx: Context, payoutId: string): Promise<PageUrl> => getPayoutRemittance(ctx, payoutId);

export const notCompleted = (status: string) =>
  conflict('NOT_COMPLETED', `There is no remittance advice for a ${status} payout`, { status });

/** Null: none was given out, or its text was erased. */
export const findStoredRemittance = async (ctx: Context, payoutId: string): Promise<string | null> => {
  const row = await firstRow(
    ctx.em,
    db
      .selectFrom('payout_remittance as r')
      .innerJoin('payout as o', (join) => join.onRef('o.id', '=', 'r.payoutId').onRef('o.completedAt', '=', 'r.completedAt'))
      .select('r.html')
      .where('r.payoutId', '=', payoutId)
      .where('o.status', '=', 'completed'),
  );
  return row?.html ?? null;
};

/** What a payout that is locked paid, and to whom. */
export const readRemittance = async (ctx: Context, payout: Payout): Promise<Remittance> => {
  const facts = await findFacts(ctx, payout.id);
  const details = facts.erasedAt === null ? readDetails(ctx, payout) : null;
  const place = [facts.postalCode, facts.city].filter(Boolean).join(' ');
  return {
    payoutId: payout.id,
    paymentReference: payout.paymentReference,
    amount: payout.amount,
    currency: payout.currency,
    method: payout.method,
    programName: payout.programName,
    companyName: facts.companyName,
    address: [facts.addressLine1, facts.addressLine2, place, facts.state, facts.country].filter((line) => !!line).map(String),
    affiliateName: payout.affiliateName ?? null,
    affiliateCode: payout.affiliateCode,
    destination: details && maskDestination(details),
    reference: payout.bankReference ?? facts.railReference,
    paidAt: toIso(paidAtOf(payout) ?? payout.updatedAt),
    timeZone: facts.timeZone,
    retryOf: payout.retryOf ?? null,
    items: await readFirstItems(ctx, payout, MAX_ITEMS),
    totals: await readTotals(ctx, payout.id),
  };
};

const findFacts = async (ctx: Context, payoutId: string) => {
  const facts = await firstRow(
    ctx.em,
    db
      .selectFrom('payout as o')
      .innerJoin('merchant as m', 'm.id', 'o.merchantId')
      .innerJoin('affiliate_profile as f', 'f.id', 'o.profileId')
      .select([
        'm.companyName',
        'm.addressLine1',
        'm.addressLine2',
        'm.postalCode',
        'm.city',
        'm.state',
        'm.country',
        'm.timezone as timeZone',
        'f.erasedAt',
      ])
      .select(({ selectFrom }) =>
        selectFrom('payout_attempt as t')
          .select('t.railReference')
          .whereRef('t.payoutId', '=', 'o.id')
          .orderBy('t.n', 'desc')
          .limit(sql.lit(1))
          .as('railReference'),
      )
      .where('o.id', '=', payoutId),
  );
  if (!facts) throw notFound('Payout');
  return facts;
};

const readTotals = async (ctx: Context, payoutId: string): Promise<Remittance['totals']> => {
  const found = await rows(
    ctx.em,
    db
      .selectFrom('payout_item')
      .select(({ fn }) => ['kind', fn.countAll<number>().as('count'), fn.sum<number>('amount').as('amount')])
      .where('payoutId', '=', payoutId)
      .groupBy('kind'),
  );
  const totalOf = (kind: string) => {
    const { count = 0, amount = 0 } = found.find((row) => row.kind === kind) ?? {};
    return { count, amount };
  };
  return { commissions: totalOf('commission'), adjustments: totalOf('adjustment') };
};
