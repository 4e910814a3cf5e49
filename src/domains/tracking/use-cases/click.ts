import type { ClickReason } from '../../../contracts/tracking.ts';
import type { Context } from '../../../platform/context.ts';
import { firstRow, sql } from '../../../platform/database/sql.ts';
import { forbidden, notFound } from '../../../platform/errors.ts';
import type { Visit } from '../../../platform/http/public-route.ts';
import { findCode } from '../browser-script/shared-links.ts';
import { clickTokenOf } from '../click-token.rules.ts';
import { destinationUrl } from '../destination-url.rules.ts';
import { readLanding, readQuery } from '../landing.rules.ts';
import { type StoredClick, storeClick } from '../store-click.steps.ts';

interface RecordClickInput {
  programId: string;
  /** The page that the visitor landed on. */
  pageUrl: string;
  referralCode: string;
  referrer?: string | null | undefined;
  consentGranted?: boolean | undefined;
  visitorId?: string | undefined;
  visit: Visit;
  /** A server of the program signed it: it needs no page of the website. */
  isSigned: boolean;
  /** The address is the visitor's, not that of a server that reports clicks of many. */
  isOwnAddress: boolean;
}

/** Counts a click that a page of the program's website reports, or a server. A repeat within 30 seconds has the result of the first. */
export const recordClick = async (ctx: Context, { visit, isSigned, ...input }: RecordClickInput): Promise<StoredClick> => {
  if (!isSigned && visit.host === null) throw foreignPage();
  const click = {
    programId: input.programId,
    code: findCode(input.referralCode),
    host: isSigned ? null : visit.host,
    channel: 'page',
    landing: readLanding({ pageUrl: input.pageUrl, referrer: input.referrer }),
    visitorId: input.visitorId ?? null,
    isScript: input.visitorId !== undefined && visit.isFromPage,
    hasConsent: input.consentGranted ?? false,
    isVisit: !visit.isPrefetch,
    isOwnAddress: input.isOwnAddress,
  } as const;
  const stored = await storeClick(ctx, click, visit);
  if (stored.outcome === 'NOT_FOUND') throw notFound('Program');
  if (stored.outcome === 'FOREIGN_PAGE') throw foreignPage();
  return stored;
};

const foreignPage = () =>
  forbidden('Origin or Referer must be a page of the website of the program, which PATCH /programs/{id} sets');

/** The page may still count the visit: once there is consent, or when a prefetched page is shown. */
const WITH_CODE: readonly StoredClick['outcome'][] = ['ok', 'CONSENT_REQUIRED', 'BOT'] satisfies ('ok' | ClickReason)[];

/** Counts the click on a redirect link and returns where it leads: a page that is stored, never one from the request. Null: nowhere. */
export const followLink = async (
  ctx: Context,
  { code: given, visit }: { code: string; visit: Visit },
): Promise<string | null> => {
  const code = findCode(given);
  // Where an encoded `?` or an `&amp;` follows the code, its query is a part of the path.
  const [misplaced = ''] = /[?&].*/s.exec(given) ?? [];
  const query = readQuery(`${misplaced.replace('?', '&')}&${visit.query}`);
  const click = {
    programId: null,
    code,
    host: null,
    channel: 'redirect',
    landing: readLanding({ pageUrl: null, referrer: visit.referer, query }),
    visitorId: null,
    isScript: false,
    hasConsent: false,
    isVisit: visit.method === 'GET' && !visit.isPrefetch,
    isOwnAddress: true,
  } as const;
  const { outcome, clickId, destination } = await storeClick(ctx, click, visit);
  if (destination === null) return null;
  return destinationUrl(destination, {
    query,
    code: WITH_CODE.includes(outcome) ? code : null,
    token: clickId && clickTokenOf(clickId),
  });
};

/**
 * Deletes up to `limit` numbers of clicks and conversions that no fraud rule compares any more, then clicks that are past the
 * cookie window of their program and 30 days; returns how many. 0: none are left. Each statement looks at 100 programs.
 */
export const deleteExpiredClicks = async (ctx: Context, { limit }: { limit: number }): Promise<number> => {
  const windows = await firstRow(ctx.em, sql<{ deleted: number }>`select delete_expired_windows(${limit}) as deleted`);
  if (windows && windows.deleted > 0) return windows.deleted;
  let after: string | null = null;
  do {
    const page: { deleted: number; last: string | null } | null = await firstRow(
      ctx.em,
      sql<{ deleted: number; last: string | null }>`
        select deleted, last_program as last from delete_expired_clicks(${after}, ${limit})`,
    );
    if (page && page.deleted > 0) return page.deleted;
    after = page?.last ?? null;
  } while (after !== null);
  return 0;
};
