import { type Context, inTransaction } from '../context.ts';
import { execute, firstRow, sql } from '../database/sql.ts';
import { AppError } from '../errors.ts';
import { db } from '../tables.ts';
import { Turns } from '../turns.ts';
import { findStoredResponse, oldestValid, type RequestIdentity, retryWhileLocked, type StoredResponse } from './idempotency.ts';

/** Each claim holds a connection while its work takes others: more of them at once would leave none for the work. */
const POOL_PER_CLAIM = 4;
const WAITS_FOR_MS = 2_000;

/** Keys whose work this process does: who repeats one waits for no place. */
const inProgress = new Set<string>();
const turns = new Turns(WAITS_FOR_MS);
/** How many hold a place or wait for it. */
const taken: number[] = [];

/** At the place where the fewest wait. Throws BUSY when none becomes free in time. */
const atOnePlace = async <T>(ctx: Context, work: () => Promise<T>): Promise<T> => {
  const places = Math.max(1, Math.floor((ctx.em.config.get('pool').max ?? 0) / POOL_PER_CLAIM));
  const waiting = Array.from({ length: places }, (_, place) => taken[place] ?? 0);
  const place = waiting.indexOf(Math.min(...waiting));
  taken[place] = (taken[place] ?? 0) + 1;
  try {
    return await turns.take(String(place), work);
  } finally {
    taken[place] = (taken[place] ?? 0) - 1;
  }
};

interface Claimed<T> {
  identity: RequestIdentity;
  /** Gets the transaction of the lock, to store the response in it. */
  work(ctx: Context): Promise<T>;
  stored(response: StoredResponse): T;
}

/**
 * For work that commits more than one transaction: the claim is committed before it, and holds the lock of the key until it ends. While
 * it does, the same request is IDEMPOTENCY_IN_PROGRESS; after a crash it goes on. Another request is IDEMPOTENCY_KEY_REUSED from the
 * claim on. Work that is refused as invalid frees the key.
 */
export const whileClaimed = <T>(ctx: Context, claimed: Claimed<T>): Promise<T> =>
  retryWhileLocked(async () =>
    inProgress.has(nameOf(claimed)) ? whenDone(ctx, claimed) : atOnePlace(ctx, () => hold(ctx, claimed)),
  );

const nameOf = ({ identity }: { identity: RequestIdentity }): string => identity.id.toString('base64');

const whenDone = async <T>(ctx: Context, { identity, stored }: Claimed<T>): Promise<'busy' | T> => {
  const response = await findStoredResponse(ctx, identity);
  return response ? stored(response) : 'busy';
};

const hold = <T>(ctx: Context, claimed: Claimed<T>): Promise<'busy' | T> =>
  inTransaction(ctx, async (holding) => {
    if (!(await lockKey(holding, claimed.identity))) return whenDone(ctx, claimed);
    const isNew = await insertClaim(ctx, claimed.identity);
    const done = isNew ? 'busy' : await whenDone(ctx, claimed);
    return done === 'busy' ? workOn(ctx, holding, { ...claimed, isNew }) : done;
  });

const workOn = async <T>(ctx: Context, holding: Context, claimed: Claimed<T> & { isNew: boolean }): Promise<T> => {
  inProgress.add(nameOf(claimed));
  try {
    return await claimed.work(holding);
  } catch (error) {
    if (claimed.isNew && isInvalid(error)) await deleteClaim(ctx, claimed.identity);
    throw error;
  } finally {
    inProgress.delete(nameOf(claimed));
  }
};

const lockKey = async (ctx: Context, { id }: RequestIdentity): Promise<boolean> => {
  const row = await firstRow(ctx.em, sql<{ isHeld: boolean }>`select lock_idempotency_key(${id}) as "isHeld"`);
  return row?.isHeld === true;
};

/** Whether there was none. One that has expired is replaced. */
const insertClaim = async (ctx: Context, { id, fingerprint }: RequestIdentity): Promise<boolean> => {
  const claim = { fingerprint, status: null, body: null, encrypted: false, createdAt: ctx.clock.now().toISOString() };
  const inserted = await execute(
    ctx.em,
    db
      .insertInto('idempotency_record')
      .values({ id, ...claim })
      .onConflict((conflict) =>
        conflict.column('id').doUpdateSet(claim).where('idempotency_record.createdAt', '<', oldestValid(ctx)),
      ),
  );
  return inserted > 0;
};

const deleteClaim = (ctx: Context, { id }: RequestIdentity): Promise<number> =>
  execute(ctx.em, db.deleteFrom('idempotency_record').where('id', '=', id).where('status', 'is', null));

/** As a body that fails validation: nothing was done, and the corrected request may have the same key. */
const isInvalid = (error: unknown): boolean =>
  error instanceof AppError && (error.code === 'BAD_REQUEST' || error.code === 'VALIDATION_ERROR');
