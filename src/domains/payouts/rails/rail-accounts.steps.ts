import { isPaidFromMerchant, type Rail } from '../../../contracts/rails.ts';
import { type Context, inTransaction } from '../../../platform/context.ts';
import { lockName } from '../../../platform/database/lock-name.ts';
import { execute, firstRow } from '../../../platform/database/sql.ts';
import { json } from '../../../platform/database/table.ts';
import { notFound } from '../../../platform/errors.ts';
import { db } from '../../tables.ts';
import { signalPayoutsOfAccount } from '../payout-workflow.steps.ts';
import { probeAfter, turnOf } from './account-hold.rules.ts';
import type { Fault } from './answer.ts';
import type { RailAccount } from './rail.ts';
import { definitionOf, type VersionedAccount } from './rails.ts';

const placeOf = (id: string) => ({ table: 'rail_account', column: 'secrets', row: id });

/**
 * Stores a merchant's account, as its rail's schema reads it. New secrets of the same identity change its version in place; another identity
 * is another version, and attempts stay with the one that they were first sent with. Ends a hold,
 * and tells payouts that wait for an account. Returns the id of the version.
 */
export const storeRailAccount = (ctx: Context, given: GivenAccount): Promise<string> =>
  inTransaction(ctx, async (ctx) => {
    const { merchantId, rail } = given;
    // There may be no row to lock yet.
    await lockName(ctx, `rail-account:${merchantId}:${rail}`);
    const id = await storeVersion(ctx, given);
    await signalPayoutsOfAccount(ctx, { merchantId, rail });
    return id;
  });

interface GivenAccount {
  merchantId: string;
  rail: Rail;
  account: RailAccount;
}

const storeVersion = async (ctx: Context, { merchantId, rail, account }: GivenAccount): Promise<string> => {
  const definition = definitionOf(rail);
  const read = definition.accountSchema.parse(account);
  const identity = await definition.identityOf(read, { clock: ctx.clock, noticeUrl: null });
  const isSecret = (name: string) => definition.secrets.includes(name);
  const partOf = (isWanted: (name: string) => boolean) =>
    Object.fromEntries(Object.entries(read).filter(([name]) => isWanted(name)));
  const at = ctx.clock.now().toISOString();
  const others = db.updateTable('rail_account').set({ isCurrent: false, updatedAt: at }).where('isCurrent', '=', true);
  await execute(ctx.em, others.where('merchantId', '=', merchantId).where('rail', '=', rail).where('identity', '<>', identity));
  const known = await firstRow(
    ctx.em,
    db
      .selectFrom('rail_account')
      .select('id')
      .where('merchantId', '=', merchantId)
      .where('rail', '=', rail)
      .where('identity', '=', identity)
      .forUpdate(),
  );
  const id = known?.id ?? ctx.ids.next();
  const secrets = ctx.cipher.encrypt(JSON.stringify(partOf(isSecret)), placeOf(id));
  const values = { settings: json(partOf((name) => !isSecret(name))), secrets, isCurrent: true, updatedAt: at };
  if (known) {
    const change = db.updateTable('rail_account').set(({ eb }) => ({
      ...values,
      ...FREE,
      status: 'unchecked',
      revision: eb('revision', '+', 1),
    }));
    await execute(ctx.em, change.where('id', '=', id));
  } else {
    const row = { id, merchantId, rail, identity, ...values, createdAt: at };
    await execute(ctx.em, db.insertInto('rail_account').values(row));
  }
  return id;
};

/** The version with its secrets, for calls to the provider. */
export const readRailAccount = async (ctx: Context, id: string): Promise<VersionedAccount> => {
  const row = await firstRow(
    ctx.em,
    db.selectFrom('rail_account').select(['id', 'rail', 'revision', 'settings', 'secrets']).where('id', '=', id),
  );
  if (!row) throw notFound('Rail account');
  const secrets = JSON.parse(ctx.cipher.decrypt(row.secrets, placeOf(id))) as RailAccount;
  return { id, rail: row.rail, revision: row.revision, account: { ...row.settings, ...secrets } };
};

/** The account that new payouts of a merchant are paid from; null where there is none. */
const findCurrentAccount = async (ctx: Context, merchantId: string, rail: Rail): Promise<string | null> => {
  const current = db.selectFrom('rail_account').select('id').where('isCurrent', '=', true);
  return (await firstRow(ctx.em, current.where('merchantId', '=', merchantId).where('rail', '=', rail)))?.id ?? null;
};

/** What a first attempt is sent from. `accountId` is null where the account is that of the installation. */
export interface Turn {
  accountId: string | null;
}

/** As `takeTurn`, whether or not the account is held: for an attempt that is not sent. */
export const findTurn = async (ctx: Context, { merchantId, rail }: { merchantId: string; rail: Rail }): Promise<Turn | null> => {
  if (!isPaidFromMerchant(rail)) return { accountId: null };
  const accountId = await findCurrentAccount(ctx, merchantId, rail);
  return accountId === null ? null : { accountId };
};

/** Null while nothing may be sent: the merchant has no account on the rail, or it is held. */
export const takeTurn = async (ctx: Context, payout: { merchantId: string; rail: Rail }): Promise<Turn | null> => {
  const turn = await findTurn(ctx, payout);
  return turn && (turn.accountId === null || (await maySend(ctx, turn.accountId))) ? turn : null;
};

/**
 * Whether an order may be sent from an account now. While it is held, one may in each pause: this takes that turn in the caller's
 * transaction, so that of orders at the same time one is sent and the others wait.
 */
export const maySend = async (ctx: Context, accountId: string): Promise<boolean> => {
  const hold = db.selectFrom('rail_account').select(['probes', 'probeAt']).where('id', '=', accountId);
  if ((await firstRow(ctx.em, hold))?.probeAt === null) return true;
  const held = await firstRow(ctx.em, hold.forNoKeyUpdate());
  if (!held) return false;
  const now = ctx.clock.now();
  const turn = turnOf(held.probeAt === null ? null : new Date(held.probeAt), now);
  if (turn !== 'probe') return turn === 'send';
  const probes = held.probes + 1;
  const next = { probes, probeAt: probeAfter(now, probes).toISOString() };
  await execute(ctx.em, db.updateTable('rail_account').set(next).where('id', '=', accountId));
  return true;
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
  await execute(ctx.em, account.where('heldCode', 'is', null).where('updatedAt', '<=', lastSentAt.toISOString()));
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

const FREE = { heldCode: null, heldSince: null, probeAt: null, probes: 0 } as const;
