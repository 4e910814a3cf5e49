import { LRUCache } from 'lru-cache';
import pLimit from 'p-limit';
import { factsOf, type Rail } from '../../../contracts/rails.ts';
import { after } from '../../../platform/clock.ts';
import type { Context } from '../../../platform/context.ts';
import { rows } from '../../../platform/database/sql.ts';
import { AppError } from '../../../platform/errors.ts';
import { db } from '../../tables.ts';
import { readRailAccount } from './rail-accounts.steps.ts';
import type { VersionedAccount } from './rails.ts';

/** An account of a merchant, whose versions a provider may send notices about. */
export interface NoticeTarget {
  merchantId: string;
  rail: Rail;
}

/** Versions that are tried with one notice. */
const MAX_VERSIONS = 20;

/** An entry expires after at most 5 s: its TTL plus the resolution of the cache's clock. */
const cached = new LRUCache<string, readonly VersionedAccount[]>({ max: 1_000, ttl: 4_900, ttlResolution: 100 });
/** Reads for senders who have often failed to sign: however many targets they name, others find free connections. */
const suspectReads = pLimit(2);
const MAX_WAITING_SUSPECTS = 16;

const nameOf = ({ merchantId, rail }: NoticeTarget): string => `${rail} ${merchantId}`;

/** As read in the last 5 s; null when nobody read them. */
export const knownVersions = (target: NoticeTarget): readonly VersionedAccount[] | null => cached.get(nameOf(target)) ?? null;

/**
 * The current version, then those with an attempt that a notice may be about, the newest first. For suspects there is one read of a target
 * in 5 s.
 */
export const readVersions = (
  ctx: Context,
  target: NoticeTarget,
  isSuspect: boolean,
): Promise<readonly VersionedAccount[]> | readonly VersionedAccount[] => {
  if (!isSuspect) return readNow(ctx, target);
  if (suspectReads.pendingCount >= MAX_WAITING_SUSPECTS)
    throw new AppError('RATE_LIMITED', 'Too many requests of this address had no valid signature', { retryAfter: 1 });
  return suspectReads(() => knownVersions(target) ?? readNow(ctx, target));
};

const readNow = async (ctx: Context, target: NoticeTarget): Promise<readonly VersionedAccount[]> => {
  const ids = await rows(ctx.em, versionsOf(ctx, target));
  const versions: VersionedAccount[] = [];
  for (const { id } of ids) versions.push(await readRailAccount(ctx, id));
  cached.set(nameOf(target), versions);
  return versions;
};

/** With attempts that are open, or were paid so lately that the money may still come back. */
const versionsOf = (ctx: Context, { merchantId, rail }: NoticeTarget) => {
  const returnsForMs = factsOf(rail)?.returnsForMs ?? null;
  const since = returnsForMs === null ? new Date(0) : after(ctx.clock.now(), -ctx.settings.scaled(returnsForMs));
  return db
    .selectFrom('rail_account as r')
    .select('r.id')
    .where('r.merchantId', '=', merchantId)
    .where('r.rail', '=', rail)
    .where(({ eb, exists, or, selectFrom }) =>
      or([
        eb('r.isCurrent', '=', true),
        exists(
          selectFrom('payout_attempt as a')
            .select('a.id')
            .whereRef('a.railAccountId', '=', 'r.id')
            .where(({ eb: of, or: either }) =>
              either([of('a.outcome', 'in', ['unknown', 'accepted']), of('a.updatedAt', '>=', since.toISOString())]),
            ),
        ),
      ]),
    )
    .orderBy('r.isCurrent', 'desc')
    .orderBy('r.createdAt', 'desc')
    .limit(MAX_VERSIONS);
};
