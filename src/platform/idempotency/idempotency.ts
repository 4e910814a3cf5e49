import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { ErasedPerson } from '../../contracts/erasure.ts';
import { ERRORS, TRANSIENT_REASONS } from '../../contracts/error-codes.ts';
import { IDEMPOTENCY_HOURS } from '../../contracts/limits.ts';
import { HOUR_MS } from '../clock.ts';
import type { Context } from '../context.ts';
import { compileOnce, type Given } from '../database/compiled.ts';
import { execute, firstRow, sql } from '../database/sql.ts';
import { AppError, conflict } from '../errors.ts';
import { db } from '../tables.ts';

export interface IdempotentRequest {
  /** A key or a person. */
  callerId: string;
  method: string;
  path: string;
  key: string;
  query: unknown;
  body: unknown;
}

export interface StoredResponse {
  status: number;
  body: string;
}

const sha256 = (text: string): Buffer => hash('sha256', text, 'buffer');

/** JSON with sorted keys, so that the order of members does not change the fingerprint. */
const canonical = (value: unknown): string => {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (value === null || typeof value !== 'object') return JSON.stringify(value) ?? 'null';
  const entries = Object.entries(value).filter(([, held]) => held !== undefined);
  entries.sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${entries.map(([name, held]) => `${JSON.stringify(name)}:${canonical(held)}`).join(',')}}`;
};

/** Computed once per request. */
export interface RequestIdentity {
  /** Hash that finds the record: caller, method, path and `Idempotency-Key`. */
  id: Buffer;
  /** Hash of the query and the body. */
  fingerprint: Buffer;
}

export const requestIdentity = ({ callerId, method, path, key, query, body }: IdempotentRequest): RequestIdentity => ({
  id: sha256(JSON.stringify([callerId, method, path, key])),
  fingerprint: sha256(`${canonical(query)}\n${canonical(body)}`),
});

const contextOf = (id: Buffer) => ({ table: 'idempotency_record', column: 'body', row: id.toString('hex') });

interface StoredRow {
  fingerprint: Buffer;
  /** Null, like the body, for a claim whose work has no response yet. */
  status: number | null;
  body: string | null;
  encrypted: boolean;
}

/** Without a response, every column except `locked` is null. */
type ReservedRow = { locked: boolean } & (StoredRow | { fingerprint: null });

/** Keys of which this process has stored or returned a response, also when that was rolled back. */
const likelyStored = new LRUCache<string, true>({ max: 10_000 });

/** Whether it is worth looking for the response before a transaction begins: a replay then takes one statement. */
export const isLikelyStored = ({ id }: RequestIdentity): boolean => likelyStored.has(id.toString('base64'));

/** Null for a claim. Throws IDEMPOTENCY_KEY_REUSED for another request, even while the first one is in progress. */
const responseIn = (ctx: Context, { id, fingerprint }: RequestIdentity, row: StoredRow): StoredResponse | null => {
  if (!row.fingerprint.equals(fingerprint)) {
    throw new AppError('IDEMPOTENCY_KEY_REUSED', 'The Idempotency-Key was used with a different request');
  }
  if (row.status === null || row.body === null) return null;
  likelyStored.set(id.toString('base64'), true);
  return { status: row.status, body: row.encrypted ? ctx.cipher.decrypt(row.body, contextOf(id)) : row.body };
};

export const oldestValid = (ctx: Context): string =>
  new Date(ctx.clock.now().getTime() - IDEMPOTENCY_HOURS * HOUR_MS).toISOString();

const storedResponse = compileOnce(({ id, oldest }: Given<{ id: Buffer; oldest: string }>) =>
  db
    .selectFrom('idempotency_record')
    .select(['fingerprint', 'status', 'body', 'encrypted'])
    .where('id', '=', id)
    .where('createdAt', '>=', oldest),
);

/** The stored response for this key, if there is one. Takes no lock. */
export const findStoredResponse = async (ctx: Context, identity: RequestIdentity): Promise<StoredResponse | null> => {
  const row = await firstRow(ctx.em, storedResponse({ id: identity.id, oldest: oldestValid(ctx) }));
  return row && responseIn(ctx, identity, row);
};

/**
 * The first statement of the request's transaction. `busy`: another request with this key is in progress. A response: it
 * has completed. `reserved`: this transaction holds the key until it ends; a crash frees it immediately.
 */
export const reserveIdempotencyKey = async (
  ctx: Context,
  identity: RequestIdentity,
): Promise<'busy' | 'reserved' | StoredResponse> => {
  const row = await firstRow(
    ctx.em,
    sql<ReservedRow>`select * from reserve_idempotency_key(${identity.id}, ${oldestValid(ctx)})`,
  );
  if (!row?.locked) return 'busy';
  return (row.fingerprint !== null && responseIn(ctx, identity, row)) || 'reserved';
};

const insertResponse = compileOnce((row: Given<{ id: Buffer; createdAt: string } & StoredRow>) =>
  db
    .insertInto('idempotency_record')
    .values(row)
    .onConflict((conflict) =>
      conflict
        .column('id')
        .doUpdateSet(({ ref }) => ({
          status: ref('excluded.status'),
          body: ref('excluded.body'),
          encrypted: ref('excluded.encrypted'),
        }))
        .where('idempotency_record.status', 'is', null),
    ),
);

/** Stores the response, in the transaction of its effect; that of a claim in its row. */
export const storeResponse = async (
  ctx: Context,
  { id, fingerprint }: RequestIdentity,
  response: StoredResponse,
  encrypted: boolean,
): Promise<void> => {
  likelyStored.set(id.toString('base64'), true);
  const body = encrypted ? ctx.cipher.encrypt(response.body, contextOf(id)) : response.body;
  await execute(
    ctx.em,
    insertResponse({ id, fingerprint, status: response.status, body, encrypted, createdAt: ctx.clock.now().toISOString() }),
  );
};

const DECIDED: readonly number[] = [403, 404, 409];

/** Whether a repeat with the same key gets the error again. Any other may be different the next time, and is not stored. */
export const isDecided = (error: unknown): error is AppError =>
  error instanceof AppError &&
  DECIDED.includes(ERRORS[error.code].status) &&
  !TRANSIENT_REASONS.some((reason) => reason === error.details?.['reason']);

const DELETE_BATCH = 1_000;
const MAX_DELETE_BATCHES = 1_000;

/**
 * Deletes expired records in batches until none is left, at most a million; returns how many. Batches of concurrent callers
 * do not overlap.
 */
export const deleteExpiredIdempotencyRecords = async (ctx: Context): Promise<number> => {
  const oldest = oldestValid(ctx);
  let deleted = 0;
  for (let batch = 0; batch < MAX_DELETE_BATCHES; batch++) {
    const count = await execute(
      ctx.em,
      sql`delete from idempotency_record where id = any(array(
        select id from idempotency_record where created_at < ${oldest}
        order by created_at limit ${DELETE_BATCH} for update skip locked))`,
    );
    deleted += count;
    if (count < DELETE_BATCH) break;
  }
  return deleted;
};

/** Responses that name a person, which are stored for a day at most: one statement. Returns how many changed. */
export const eraseResponses = async (ctx: Context, { address, members, names }: ErasedPerson): Promise<number> =>
  (await firstRow(ctx.em, sql<{ count: number }>`select erase_responses(${address}, ${members}, ${names}) as count`))?.count ?? 0;

const TRIES_FOR_MS = 2_000;
const PAUSE_MS = 40;

/** Retries for 2 s while the key is locked, holding no connection; then 409 `IDEMPOTENCY_IN_PROGRESS`. */
export const retryWhileLocked = async <T>(attempt: () => Promise<'busy' | T>): Promise<T> => {
  const end = performance.now() + TRIES_FOR_MS;
  for (;;) {
    const outcome = await attempt();
    if (outcome !== 'busy') return outcome;
    if (performance.now() >= end) {
      throw conflict('IDEMPOTENCY_IN_PROGRESS', 'A request with this Idempotency-Key is still in progress', {
        retryAfterMs: 1_000,
      });
    }
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
};
