import { LRUCache } from 'lru-cache';
import { bounded } from '../../platform/bounded.ts';
import { HOUR_MS } from '../../platform/clock.ts';
import type { FieldCipher } from '../../platform/crypto/field-cipher.ts';
import { forkOf, type Orm } from '../../platform/database/orm.ts';
import { execute, sql } from '../../platform/database/sql.ts';
import { type Browser, isBrowser, visitorDigest } from '../../platform/http/browser.ts';
import type { Logger } from '../../platform/logger.ts';
import type { CachedApiKey } from './api-keys.cache.ts';

/** Browsers of one person. Beyond it, the one that was not used for the longest time is forgotten. */
const MAX_BROWSERS = 20;

/** Remembers in which browsers affiliates use their keys, for the fraud rules: a sale from such a click is the affiliate's own. */
export class AffiliateSessions {
  readonly #orm: Orm;
  readonly #cipher: FieldCipher;
  readonly #log: Logger;
  readonly #recorded = new LRUCache<string, true>({ ...bounded(20_000), ttl: HOUR_MS });

  constructor({ orm, cipher, log }: { orm: Orm; cipher: FieldCipher; log: Logger }) {
    this.#orm = orm;
    this.#cipher = cipher;
    this.#log = log;
  }

  /** Written at most once an hour for each browser, without waiting. Programs that use a key make no clicks. */
  record({ keyType, ownerId }: Pick<CachedApiKey, 'keyType' | 'ownerId'>, caller: Browser): void {
    if (keyType !== 'affiliate' || !isBrowser(caller.userAgent)) return;
    const browser = visitorDigest(this.#cipher, caller);
    const session = `${ownerId} ${browser}`;
    if (this.#recorded.has(session)) return;
    this.#recorded.set(session, true);
    this.#store(ownerId, browser).catch((err) => {
      this.#recorded.delete(session);
      this.#log.warn({ err, profileId: ownerId }, 'failed to record a session of an affiliate');
    });
  }

  /** Takes the browser's slot, else a free one, else the oldest. Two at once rarely choose the same. A template: it counts the slots. */
  #store(profileId: string, browser: string): Promise<number> {
    const known = sql`select slot from affiliate_session where profile_id = ${profileId}::uuid`;
    return execute(
      forkOf(this.#orm),
      sql`insert into affiliate_session (profile_id, slot, browser, seen_at)
        select ${profileId}::uuid, coalesce(
            (${known} and browser = decode(${browser}, 'hex') limit 1),
            (select n from generate_series(0, ${sql.lit(MAX_BROWSERS - 1)}) as n where n not in (${known}) order by random() limit 1),
            (${known} order by seen_at limit 1)),
          decode(${browser}, 'hex'), now()
        on conflict (profile_id, slot) do update set browser = excluded.browser, seen_at = excluded.seen_at`,
    );
  }
}
