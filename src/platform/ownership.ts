import { type EntityClass, type FilterQuery, LockMode } from '@mikro-orm/core';
import { type Actor, type Context, findCaller, onlyMerchantOf } from './context.ts';
import { forbidden, notFound } from './errors.ts';

/** `ownerId` is a merchant or a person, else the merchant is `merchantId` and the person `profileId`. */
interface Owned {
  ownerId?: string;
  merchantId?: string;
  profileId?: string;
}

const belongsTo = (actor: Actor, row: Owned): boolean => {
  const caller = findCaller(actor);
  if (!caller) return actor.kind === 'system';
  const only = onlyMerchantOf({ actor });
  if (only !== undefined && row.merchantId !== only) return false;
  return caller.ownerId === (row.ownerId ?? (caller.keyType === 'affiliate' ? row.profileId : row.merchantId));
};

/** NOT_FOUND without a row, FORBIDDEN when it belongs to another account than the caller's. Workflows and the operator own all. */
export const readOwned = <Row extends Owned>({ actor }: Pick<Context, 'actor'>, what: string, row: Row | null): Row => {
  if (!row) throw notFound(what);
  if (!belongsTo(actor, row)) throw forbidden();
  return row;
};

/** As `readOwned`, as it is stored now and locked until the transaction ends. */
export const lockOwned = async <Entity extends Owned>(
  ctx: Context,
  what: string,
  entity: EntityClass<Entity>,
  where: FilterQuery<Entity>,
): Promise<Entity> =>
  readOwned(ctx, what, await ctx.em.findOne(entity, where, { lockMode: LockMode.PESSIMISTIC_WRITE, refresh: true }));
