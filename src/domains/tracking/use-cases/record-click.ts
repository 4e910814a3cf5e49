import type { Context } from '../../../platform/context.ts';
import { forbidden, notFound } from '../../../platform/errors.ts';
import type { Visit } from '../../../platform/http/public-route.ts';
import { readLanding } from '../landing.ts';
import { type StoredClick, storeClick } from '../store-click.ts';

export interface RecordClickInput {
  programId: string;
  /** The page that the visitor landed on. */
  pageUrl: string;
  referralCode: string;
  referrer?: string | null | undefined;
  consentGranted?: boolean | undefined;
  visitorId?: string | undefined;
  visit: Visit;
}

/** Counts a click that a page of the program's website reports. A repeat within 30 seconds has the result of the first. */
export const recordClick = async (ctx: Context, { visit, ...input }: RecordClickInput): Promise<StoredClick> => {
  if (visit.host === null) throw foreignPage();
  const click = {
    programId: input.programId,
    code: input.referralCode,
    host: visit.host,
    channel: 'page',
    landing: readLanding({ pageUrl: input.pageUrl, referrer: input.referrer }),
    visitorId: input.visitorId ?? null,
    isScript: input.visitorId !== undefined && visit.isFromPage,
    hasConsent: input.consentGranted ?? false,
    isVisit: !visit.isPrefetch,
  } as const;
  const stored = await storeClick(ctx, click, visit);
  if (stored.outcome === 'NOT_FOUND') throw notFound('Program');
  if (stored.outcome === 'FOREIGN_PAGE') throw foreignPage();
  return stored;
};

const foreignPage = () => forbidden('Origin or Referer must be a page of the website of the program');
