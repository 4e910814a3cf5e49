import { PAYOUT_METHODS, type PayoutMethod } from '../../../contracts/affiliates.ts';
import { MAX_LISTED_ACCOUNTS } from '../../../contracts/rail-accounts.ts';
import { isPaidFromMerchant, isRail, labelOf, paysMethod, RAILS, type Rail, railsThatPay } from '../../../contracts/rails.ts';
import { type Context, merchantOf } from '../../../platform/context.ts';
import { firstRow, rows, sql } from '../../../platform/database/sql.ts';
import { notFound } from '../../../platform/errors.ts';
import { db } from '../../tables.ts';
import { MERCHANT_RAILS } from '../rails/rail-choice.queries.ts';
import { railOfMethod } from '../rails/rail-choice.rules.ts';
import { definitionOf } from '../rails/rails.ts';
import { type RailAccountsView, type RailAccountView, toRailAccount } from './rail-accounts.wire.ts';

/** Payments from a version `account.id` whose outcome the provider may still tell, or whose return somebody reported. */
const openPaymentsOf = sql<number>`(select count(*) from (
  select from payout_attempt t join payout p on p.id = t.payout_id where t.rail_account_id = account.id
    and (p.status = 'processing' or exists (select from payout_correction k where k.payout_id = p.id and k.status = 'open'))
  limit 10000) as open)`;

const ACCOUNT = [
  ...(['id', 'rail', 'settings', 'isCurrent', 'status', 'findings', 'heldCode', 'heldSince', 'balances'] as const),
  ...(['checkedAt', 'unansweredAt', 'createdAt', 'updatedAt'] as const),
] as const;

const accountsOf = (merchantId: string) =>
  db
    .selectFrom('rail_account as account')
    .select(ACCOUNT)
    .select(openPaymentsOf.as('openPayments'))
    .where('merchantId', '=', merchantId);

const findAccounts = (ctx: Context, merchantId: string) =>
  rows(
    ctx.em,
    accountsOf(merchantId)
      .where(({ eb, or }) => or([eb('isCurrent', '=', true), eb(openPaymentsOf, '>', 0)]))
      .orderBy('isCurrent', 'desc')
      .orderBy('rail')
      .orderBy('createdAt', 'desc')
      .limit(MAX_LISTED_ACCOUNTS),
  );

/** A rail of which the merchant may have an account. Throws NOT_FOUND for any other. */
export const readAccountRail = (name: string): Rail => {
  if (!isRail(name) || !isPaidFromMerchant(name)) throw notFound('Rail');
  return name;
};

/** As `readAccountRail`, of one that this installation offers. */
export const readOfferedRail = ({ settings }: Pick<Context, 'settings'>, name: string): Rail => {
  const rail = readAccountRail(name);
  if (!settings.isRailOffered(rail)) throw notFound('Rail');
  return rail;
};

/** The account that new payouts are paid from. Throws NOT_FOUND. */
export const getRailAccount = async (
  ctx: Context,
  { merchantId, rail }: { merchantId: string; rail: Rail },
): Promise<RailAccountView> => {
  const row = await firstRow(ctx.em, accountsOf(merchantId).where('rail', '=', rail).where('isCurrent', '=', true));
  if (!row) throw notFound('Rail account');
  return toRailAccount(row);
};

/** Accounts of the caller, what can be connected, and which rail pays each payout method. */
export const getRailAccounts = async (ctx: Context): Promise<RailAccountsView> => {
  const merchantId = merchantOf(ctx);
  const accounts = await findAccounts(ctx, merchantId);
  const choice = await firstRow(ctx.em, db.selectFrom('merchant as m').select(MERCHANT_RAILS).where('m.id', '=', merchantId));
  if (!choice) throw notFound('Merchant');
  const rails = (Object.keys(RAILS) as Rail[]).filter((rail) => isPaidFromMerchant(rail) && ctx.settings.isRailOffered(rail));
  return {
    accounts: accounts.map(toRailAccount),
    rails: rails.map((rail) => ({
      rail,
      label: labelOf(rail),
      methods: PAYOUT_METHODS.filter((method) => paysMethod(rail, method)),
      fields: (definitionOf(rail).form ?? []).map(({ isMasked: _, isIdentity: _isIdentity, options = [], ...field }) => ({
        ...field,
        options: [...options],
      })),
    })),
    methods: PAYOUT_METHODS.map((method) => {
      const rail = railOfMethod(ctx.settings, choice, method);
      return {
        method,
        rail,
        label: labelOf(rail),
        chosen: choice.payoutRails?.[method] ?? null,
        options: optionsOf(ctx, method),
      };
    }),
  };
};

const optionsOf = ({ settings }: Context, method: PayoutMethod) =>
  railsThatPay(method)
    .filter((rail) => settings.isRailOffered(rail))
    .map((rail) => ({ rail, label: labelOf(rail) }));
