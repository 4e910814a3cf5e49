import { LRUCache } from 'lru-cache';
import pLimit from 'p-limit';
import type { Context } from '../../platform/context.ts';
import { AppError } from '../../platform/errors.ts';

/** The secrets that sign the messages of one program. */
export interface SigningSecrets {
  merchantId: string;
  secrets: readonly SigningSecret[];
}

export interface SigningSecret {
  text: string;
  /** Null for one that has not been replaced. */
  expiresAt: string | null;
}

/** An entry expires after at most 5 s: its TTL plus the resolution of the cache's clock. */
const cached = new LRUCache<string, SigningSecrets | AppError>({ max: 10_000, ttl: 4_900, ttlResolution: 100 });
/** Reads for suspects: however many targets they name, others find free connections. */
const suspectReads = pLimit(2);
/** Whoever waits for a read holds a place of the door: more suspects would leave none for others. */
const MAX_WAITING_SUSPECTS = 16;
let generation = 0;

/** Forgets the secrets of one program, or all. The result of a query already running is not cached. */
export const forgetSigningSecrets = (programId?: string): void => {
  generation++;
  if (programId === undefined) return cached.clear();
  for (const kind of ['event', 'stripe']) cached.delete(`${kind}:${programId}`);
};

/** To be called in the transaction that changes a secret. */
export const announceSecretChange = (ctx: Context, programId: string): void => {
  ctx.broadcasts.push({ channel: 'secret-changed', text: programId });
};

/** Who signed a message, and what was read of it. */
export interface Verified<T> {
  merchantId: string;
  payload: T;
}

interface Signed<T> {
  programId: string;
  kind: 'event' | 'stripe';
  /** The sender has often failed to sign: what was read in the last 5 s decides. */
  isSuspect: boolean;
  /** Throws without such a program, or when it has no secret. */
  load(): Promise<SigningSecrets>;
  /** Throws UNAUTHORIZED when none of the secrets signed the message. */
  verify(secrets: readonly string[]): T | Promise<T>;
}

/**
 * Verifies with the secrets of the last 5 s, and if that fails with those in the database: a new secret is accepted at once, also where
 * the news of it was lost. For suspects, there is one read of a target in 5 s.
 */
export const verifyWithSecrets = async <T>(ctx: Context, signed: Signed<T>): Promise<Verified<T>> => {
  const { isSuspect, verify } = signed;
  const now = ctx.clock.now().getTime();
  const verifyWith = async ({ merchantId, secrets }: SigningSecrets): Promise<Verified<T>> => {
    const live = secrets.filter(({ expiresAt }) => expiresAt === null || Date.parse(expiresAt) > now).map(({ text }) => text);
    return { merchantId, payload: await verify(live) };
  };
  const known = cached.get(nameOf(signed));
  if (known instanceof AppError && isSuspect) throw known;
  if (known && !(known instanceof AppError)) {
    try {
      return await verifyWith(known);
    } catch (error) {
      if (isSuspect || !(error instanceof AppError)) throw error;
    }
  }
  if (isSuspect && suspectReads.pendingCount >= MAX_WAITING_SUSPECTS)
    throw new AppError('RATE_LIMITED', 'Too many requests of this address had no valid signature', { retryAfter: 1 });
  const read = isSuspect ? await suspectReads(() => readAgain(signed)) : await readSecrets(signed);
  if (read instanceof AppError) throw read;
  return verifyWith(read);
};

type Read = Pick<Signed<unknown>, 'programId' | 'kind' | 'load'>;

const nameOf = ({ programId, kind }: Read): string => `${kind}:${programId}`;

/** What others read meanwhile is not read again. */
const readAgain = async (signed: Read): Promise<SigningSecrets | AppError> =>
  cached.get(nameOf(signed)) ?? (await readSecrets(signed));

/** The error of a program without a secret is kept too. */
const readSecrets = async (signed: Read): Promise<SigningSecrets | AppError> => {
  const before = generation;
  const read = await signed.load().catch((error: unknown) => {
    if (error instanceof AppError) return error;
    throw error;
  });
  if (generation === before) cached.set(nameOf(signed), read);
  return read;
};
