import { factsOf, isConfirmedBy, isPaidFromMerchant, RAIL_NAMES, type Rail } from '../../contracts/rails.ts';
import { after, DAY_MS } from '../../platform/clock.ts';
import type { Context } from '../../platform/context.ts';
import { rows, sql } from '../../platform/database/sql.ts';
import { db } from '../tables.ts';

/** What is compared at once: an account of a merchant at a provider in one version, or that of the installation. */
export interface ComparedAccount {
  rail: Rail;
  merchantId: string | null;
  railAccountId: string | null;
}

export interface AccountFilter {
  merchantId?: string | undefined;
  rail?: Rail | undefined;
}

/** Payments may come back for so long where a provider does not say. */
const DEFAULT_RETURNS_MS = 60 * DAY_MS;

/** How long after a payment the provider's list may still tell something new. */
export const lookBackMs = (rail: Rail): number => factsOf(rail)?.returnsForMs ?? DEFAULT_RETURNS_MS;

/** Whether there is anything to compare with: a list of the provider, or statements of the bank. */
export const hasList = (rail: Rail): boolean => factsOf(rail)?.can.list === true || isConfirmedBy(rail, 'statusFile');

const isWanted = ({ rail }: AccountFilter, name: Rail): boolean => hasList(name) && (rail === undefined || rail === name);

/** The only merchant of an installation: what nobody else can own is theirs. */
const findSoleMerchant = async (ctx: Context): Promise<string | null> => {
  const [first, second] = await rows(ctx.em, db.selectFrom('merchant').select('id').limit(2));
  return second ? null : (first?.id ?? null);
};

/** Accounts of this installation whose provider lists payments, among rails that are configured here. */
export const listInstallationAccounts = async (
  ctx: Context,
  filter: AccountFilter,
  isConfigured: (rail: Rail) => boolean,
): Promise<ComparedAccount[]> => {
  const wanted = RAIL_NAMES.filter((rail) => !isPaidFromMerchant(rail) && isWanted(filter, rail) && isConfigured(rail));
  const merchantId = wanted.length === 0 ? null : await findSoleMerchant(ctx);
  if (filter.merchantId !== undefined && filter.merchantId !== merchantId) return [];
  return wanted.map((rail) => ({ rail, merchantId, railAccountId: null }));
};

/** Accounts of merchants, in the order of ids: those that pay now, and older versions whose payments may still come back. */
export const listMerchantAccounts = async (
  ctx: Context,
  filter: AccountFilter,
  page: { after: string | null; limit: number },
): Promise<(ComparedAccount & { railAccountId: string })[]> => {
  const wanted = RAIL_NAMES.filter((rail) => isPaidFromMerchant(rail) && isWanted(filter, rail));
  if (wanted.length === 0) return [];
  const since = (rail: Rail) => after(ctx.clock.now(), -lookBackMs(rail)).toISOString();
  const found = await rows(
    ctx.em,
    db
      .selectFrom('rail_account as a')
      .select(['a.id as railAccountId', 'a.merchantId', 'a.rail'])
      .where((where) => where.or(wanted.map((rail) => isUsed(rail, since(rail)))))
      .$if(filter.merchantId !== undefined, (query) => query.where('a.merchantId', '=', filter.merchantId ?? ''))
      .$if(page.after !== null, (query) => query.where('a.id', '>', page.after ?? ''))
      .orderBy('a.id')
      .limit(page.limit),
  );
  return found;
};

const isUsed = (rail: Rail, since: string) =>
  sql<boolean>`(a.rail = ${rail} and (a.is_current or exists (
    select from payout_attempt t where t.rail_account_id = a.id and t.created_at >= ${since})))`;
