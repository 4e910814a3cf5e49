import { type AffiliateStatus, REFERRAL_CODE } from '../../contracts/affiliates.ts';
import type { ProgramStatus } from '../../contracts/programs.ts';
import type { Context } from '../../platform/context.ts';
import { firstRow, sql } from '../../platform/database/sql.ts';
import { currentTarget, type DestinationTerms } from './destination.ts';

/** Where a code leads and whom it credits. */
export interface CodeDestination {
  /** Lower case. */
  code: string;
  affiliateId: string;
  affiliateStatus: AffiliateStatus;
  programId: string;
  programStatus: ProgramStatus;
  merchantId: string;
  /** Null for the affiliate's own code. */
  linkId: string | null;
  /** Null to use the landing page or the website. Always allowed by the program's current settings. */
  targetUrl: string | null;
  /** False for a link that its affiliate switched off or deleted. */
  isActive: boolean;
  website: string | null;
  landingPageUrl: string | null;
  /** Days. */
  cookieDuration: number;
  requiresConsent: boolean;
}

/** Case-insensitive; null when the code is unknown. */
export const findDestination = async (ctx: Context, code: string): Promise<CodeDestination | null> => {
  const lowerCase = code.toLowerCase();
  if (!REFERRAL_CODE.test(lowerCase)) return null;
  const row = await firstRow(
    ctx.em,
    sql<CodeDestination & DestinationTerms>`
      select r.code, a.id as "affiliateId", a.status as "affiliateStatus", p.id as "programId", p.status as "programStatus",
        p.merchant_id as "merchantId", r.link_id as "linkId",
        case when l.deleted_at is null then l.target_url end as "targetUrl",
        r.link_id is null or (l.is_active and l.deleted_at is null) as "isActive",
        p.website, p.landing_page_url as "landingPageUrl", p.allowed_landing_pages as "allowedLandingPages",
        p.allow_custom_destinations as "allowCustomDestinations", p.cookie_duration as "cookieDuration",
        coalesce(p.tracking_requires_consent, m.tracking_requires_consent) as "requiresConsent"
      from referral_code r join affiliate a on a.id = r.affiliate_id join program p on p.id = a.program_id
        join merchant m on m.id = p.merchant_id left join link l on l.id = r.link_id
      where r.code = ${lowerCase}`,
  );
  if (!row) return null;
  const { allowedLandingPages, allowCustomDestinations, ...destination } = row;
  return { ...destination, targetUrl: currentTarget(row, row.targetUrl) };
};
