import { SCREENING_LIMITS } from '../../contracts/screening-limits.ts';
import type { ClickReason } from '../../contracts/tracking.ts';
import type { Context } from '../../platform/context.ts';
import type { FieldCipher } from '../../platform/crypto/field-cipher.ts';
import { firstRow, sql } from '../../platform/database/sql.ts';
import { columnsOf } from '../../platform/database/table.ts';
import { invariant } from '../../platform/errors.ts';
import { isBrowser, visitorDigest } from '../../platform/http/browser.ts';
import type { Visit } from '../../platform/http/public-route.ts';
import { currentTarget, type DestinationTerms } from '../links/index.ts';
import type { Landing } from './landing.rules.ts';
import { wakeScreening } from './wake-screening.steps.ts';

export interface ClickFacts {
  /** Null: the program of the code. */
  programId: string | null;
  /** Null: the link has none. */
  code: string | null;
  /** The page that reports the click; null for a redirect link and a signed call, which need none. */
  host: string | null;
  channel: 'page' | 'redirect';
  landing: Landing;
  /** The visitor's own id, which the script keeps; null: address and browser stand for the visitor. */
  visitorId: string | null;
  /** The script reports it: it runs on the page. */
  isScript: boolean;
  hasConsent: boolean;
  /** False: nothing is stored. */
  isVisit: boolean;
  /** False: the address is that of a server, which may report the clicks of many visitors. */
  isOwnAddress: boolean;
}

/** `ok`: stored, or a repeat of a stored click, whose id it has. All else stored nothing. */
export interface StoredClick {
  outcome: 'ok' | 'NOT_FOUND' | 'FOREIGN_PAGE' | ClickReason;
  clickId: string | null;
  /** Null when the program is unknown. */
  programId: string | null;
  affiliateCode: string | null;
  cookieDuration: number | null;
  /** Where a redirect link leads; null when the program has no page. */
  destination: string | null;
}

type StoredRow = Omit<StoredClick, 'destination'> & DestinationTerms & { targetUrl: string | null };

const STORED = [
  'outcome',
  'clickId',
  'programId',
  'affiliateCode',
  'cookieDuration',
  'website',
  'landingPageUrl',
  'targetUrl',
  'allowedLandingPages',
  'allowCustomDestinations',
] as const satisfies readonly (keyof StoredRow)[];

/** 128 bits, as of visitors. */
const digest = (cipher: FieldCipher, text: string, purpose: string): string => cipher.digest(text, purpose).slice(0, 32);

/** As text, of a type `bytea`. */
const bytes = (hex: string): string => `\\x${hex}`;

/**
 * Everything about a click is this one statement: what the code leads to, whether it counts, and its numbers. A template: the function
 * `record_click` does it.
 */
export const storeClick = async (ctx: Context, facts: ClickFacts, visit: Visit): Promise<StoredClick> => {
  const { landing, channel } = facts;
  const code = facts.code ?? '';
  const browser = visitorDigest(ctx.cipher, visit);
  const visitor = facts.visitorId === null ? browser : visitorDigest(ctx.cipher, { visitorId: facts.visitorId });
  const repeatKey = digest(ctx.cipher, JSON.stringify([visitor, code, channel, landing.page]), 'click-repeat');
  const stored = await firstRow(
    ctx.em,
    sql<StoredRow>`with recorded as (select * from record_click(${JSON.stringify({
      id: ctx.ids.next(),
      clicked_at: ctx.clock.now(),
      program_id: facts.programId,
      code,
      host: facts.host,
      has_consent: facts.hasConsent,
      is_counted: facts.isVisit && isBrowser(visit.userAgent),
      is_script: facts.isScript,
      channel,
      ...landing,
      visitor: bytes(visitor),
      address: bytes(digest(ctx.cipher, visit.address, 'click-address')),
      browser: bytes(browser),
      repeat_key: bytes(repeatKey),
      max_per_minute: SCREENING_LIMITS.clicksPerMinute,
      max_per_hour: SCREENING_LIMITS.clicksPerHour,
      is_own_address: facts.isOwnAddress,
      max_visitors: SCREENING_LIMITS.visitorsOfAddress,
    })}::jsonb)),
      woken as (${wakeScreening(sql`alerted_affiliate_id`, sql`recorded where alerted_affiliate_id is not null`)})
      select ${columnsOf<StoredRow>(STORED)} from recorded`,
  );
  invariant(stored, 'record_click returns one row');
  return { ...stored, destination: currentTarget(stored, stored.targetUrl) ?? stored.landingPageUrl ?? stored.website };
};
