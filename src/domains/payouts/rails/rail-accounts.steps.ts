import type { Rail } from '../../../contracts/rails.ts';
import { type Context, emitInternal, inTransaction } from '../../../platform/context.ts';
import { lockName } from '../../../platform/database/lock-name.ts';
import { execute, firstRow } from '../../../platform/database/sql.ts';
import { json } from '../../../platform/database/table.ts';
import { notFound } from '../../../platform/errors.ts';
import { db } from '../../tables.ts';
import { signalPayoutsOfAccount } from '../payout-workflow.steps.ts';
import { changedBy } from './account-changes.rules.ts';
import { probeAfter } from './account-hold.rules.ts';
import type { Fault } from './answer.ts';
import type { RailAccount } from './rail.ts';
import { definitionOf, type VersionedAccount } from './rails.ts';

const placeOf = (id: string) => ({ table: 'rail_account', column: 'secrets', row: id });

interface GivenAccount {
  merchantId: string;
  rail: Rail;
  account: RailAccount;
}

/** An account as its rail's schema reads it. */
export interface IdentifiedAccount extends GivenAccount {
  identity: string;
}

/** As it is with its changes. Only these are new: what another request changes in the same version at the same time stays. */
export interface ChangedAccount extends IdentifiedAccount {
  changes: RailAccount;
}

/** May ask the provider, so not in a transaction. Throws an `AppError` when it does not tell. */
export const identifyAccount = async (ctx: Context, { merchantId, rail, account }: GivenAccount): Promise<IdentifiedAccount> => {
  const definition = definitionOf(rail);
  const read = definition.accountSchema.parse(account);
  const identity = await definition.identityOf(read, ctx.settings.rails.toolsOf(rail, merchantId));
  return { merchantId, rail, account: read, identity };
};

/** Another one waits until the caller's transaction ends: there may be no row to lock yet. */
export const lockAccountsOf = (ctx: Context, { merchantId, rail }: { merchantId: string; rail: Rail }): Promise<number> =>
  lockName(ctx, `rail-account:${merchantId}:${rail}`);

/** A version as it was stored. */
export interface StoredVersion {
  id: string;
  /** Null: it is a new one. */
  settingsBefore: RailAccount | null;
  /** With its secrets. */
  account: RailAccount;
}

/**
 * Stores a merchant's account, as its rail's schema reads it. New secrets of the same identity change its version in place; another identity
 * is another version, and attempts stay with the one that they were first sent with. Ends a hold,
 * and tells payouts that wait for an account.
 */
export const storeVersion = async (ctx: Context, given: IdentifiedAccount | ChangedAccount): Promise<StoredVersion> => {
  await lockAccountsOf(ctx, given);
  const known = await supersedeOthers(ctx, given);
  const id = known?.id ?? ctx.ids.next();
  const account = mergedWith(ctx, known, given);
  const values = { ...partsOf(ctx, given.rail, id, account), isCurrent: true };
  const at = ctx.clock.now().toISOString();
  const { merchantId, rail, identity } = given;
  const unchecked = {
    ...FREE,
    status: 'unchecked',
    findings: null,
    balances: null,
    checkedAt: null,
    unansweredAt: null,
  } as const;
  const statement = known
    ? db
        .updateTable('rail_account')
        .set(({ eb }) => ({ ...values, ...unchecked, updatedAt: at, revision: eb('revision', '+', 1) }))
        .where('id', '=', id)
    : db.insertInto('rail_account').values({ id, merchantId, rail, identity, ...values, createdAt: at, updatedAt: at });
  await execute(ctx.em, statement);
  await signalPayoutsOfAccount(ctx, { merchantId, rail });
  return { id, settingsBefore: known?.secrets ? known.settings : null, account };
};

/** What is stored: a change keeps the rest of its version, and an account that is entered anew what checks found out about it. */
const mergedWith = (ctx: Context, known: KnownVersion | null, given: IdentifiedAccount | ChangedAccount): RailAccount => {
  const { rail, account } = given;
  if (!('changes' in given) || !known?.secrets) return { ...learnedOf(ctx, rail, known), ...account };
  return definitionOf(rail).accountSchema.parse(changedBy(accountOf(ctx, { ...known, secrets: known.secrets }), given.changes));
};

/** As `storeVersion`, in a transaction of its own. Returns the id of the version. */
export const storeRailAccount = async (ctx: Context, given: GivenAccount): Promise<string> => {
  const identified = await identifyAccount(ctx, given);
  return (await inTransaction(ctx, (ctx) => storeVersion(ctx, identified))).id;
};

interface KnownVersion {
  id: string;
  settings: RailAccount;
  secrets: string | null;
}

/** The version of this identity, locked; null where there is none. New payouts are paid from no other one. */
const supersedeOthers = async (ctx: Context, { merchantId, rail, identity }: IdentifiedAccount): Promise<KnownVersion | null> => {
  const at = ctx.clock.now().toISOString();
  const others = db.updateTable('rail_account').set({ isCurrent: false, updatedAt: at }).where('isCurrent', '=', true);
  await execute(ctx.em, others.where('merchantId', '=', merchantId).where('rail', '=', rail).where('identity', '<>', identity));
  const version = db.selectFrom('rail_account').select(['id', 'settings', 'secrets']).where('merchantId', '=', merchantId);
  return firstRow(ctx.em, version.where('rail', '=', rail).where('identity', '=', identity).forUpdate());
};

const pick = (account: RailAccount, isWanted: (name: string) => boolean): RailAccount =>
  Object.fromEntries(Object.entries(account).filter(([name, value]) => isWanted(name) && value !== undefined));

/** What checks found out about a version: it stays when its owner enters a new secret. */
const learnedOf = (ctx: Context, rail: Rail, known: KnownVersion | null): RailAccount => {
  if (!known?.secrets) return {};
  const { learned = [] } = definitionOf(rail);
  return pick(accountOf(ctx, { ...known, secrets: known.secrets }), (name) => learned.includes(name));
};

/** The columns of an account. */
export const partsOf = (ctx: Context, rail: Rail, id: string, account: RailAccount) => {
  const { secrets } = definitionOf(rail);
  const hidden = pick(account, (name) => secrets.includes(name));
  return {
    settings: json(pick(account, (name) => !secrets.includes(name))),
    secrets: ctx.cipher.encrypt(JSON.stringify(hidden), placeOf(id)),
  };
};

/** With its secrets. */
export const accountOf = (ctx: Context, { id, settings, secrets }: KnownVersion & { secrets: string }): RailAccount => ({
  ...settings,
  ...(JSON.parse(ctx.cipher.decrypt(secrets, placeOf(id))) as RailAccount),
});

/** The version with its secrets, for calls to the provider. */
export const readRailAccount = async (ctx: Context, id: string): Promise<VersionedAccount> => {
  const version = db.selectFrom('rail_account').select(['id', 'merchantId', 'rail', 'revision', 'settings', 'secrets']);
  const row = await firstRow(ctx.em, version.where('id', '=', id));
  if (!row) throw notFound('Rail account');
  const { merchantId, rail, revision, settings, secrets } = row;
  return { id, merchantId, rail, revision, account: secrets === null ? null : accountOf(ctx, { id, settings, secrets }) };
};

/** The account that new payouts of a merchant are paid from; null where there is none. */
export const findCurrentAccount = async (ctx: Context, merchantId: string, rail: Rail): Promise<string | null> => {
  const current = db.selectFrom('rail_account').select('id').where('isCurrent', '=', true);
  return (await firstRow(ctx.em, current.where('merchantId', '=', merchantId).where('rail', '=', rail)))?.id ?? null;
};

/** An order as it was sent: an answer to it says how its account was then. */
interface SentOrder {
  railAccountId?: string | null;
  lastSentAt?: Date | null;
}

/**
 * A fault of the account holds it: no first attempt is sent from it, while look-ups go on. The first fault is the one that is shown. That of
 * an order that was sent before the account changed says nothing about it now: it may have new secrets.
 */
export const holdAccount = async (ctx: Context, { railAccountId, lastSentAt }: SentOrder, fault: Fault | null): Promise<void> => {
  if (!railAccountId || !lastSentAt || fault?.class !== 'account') return;
  const now = ctx.clock.now();
  const at = now.toISOString();
  const probing = { probes: 0, probeAt: probeAfter(now, 0).toISOString() };
  const held = { status: 'failing', heldCode: fault.code, heldSince: at, ...probing, updatedAt: at } as const;
  const account = db.updateTable('rail_account').set(held).where('id', '=', railAccountId);
  const free = account.where('heldCode', 'is', null).where('updatedAt', '<=', lastSentAt.toISOString());
  const stopped = await firstRow(ctx.em, free.returning(['merchantId', 'rail']));
  const hold = { accountId: railAccountId, code: fault.code, since: now };
  if (stopped) await emitInternal(ctx, { type: 'rail_account.held', ...stopped, ...hold });
};

/** The account was able to pay an order: that ends a hold which began before the order was sent. */
export const endHold = async (ctx: Context, { railAccountId, lastSentAt }: SentOrder): Promise<void> => {
  if (!railAccountId || !lastSentAt) return;
  const at = ctx.clock.now().toISOString();
  const account = db
    .updateTable('rail_account')
    .set({ ...FREE, status: 'ready', updatedAt: at })
    .where('id', '=', railAccountId)
    .where('heldSince', '<=', lastSentAt.toISOString());
  const ended = await firstRow(ctx.em, account.returning(['merchantId', 'rail']));
  if (ended) await signalPayoutsOfAccount(ctx, ended);
};

export const FREE = { heldCode: null, heldSince: null, probeAt: null, probes: 0 } as const;
