import type { AffiliateStatus } from '../../contracts/affiliates.ts';
import { type Context, profileOf } from '../../platform/context.ts';
import { lockOfName } from '../../platform/database/lock-name.ts';
import { allOf, firstRow, type RawBuilder, rows, sql } from '../../platform/database/sql.ts';
import { forbidden, invalid, invariant, notFound } from '../../platform/errors.ts';
import type { DestinationTerms } from './destination.ts';
import { type LinkView, type StoredLink, toLink } from './links.wire.ts';
import { redirectUrlOf, shareUrlOf } from './share-url.ts';

/** The affiliate that a link belongs to, with its program. */
export interface Membership extends DestinationTerms {
  affiliateId: string;
  programId: string;
  merchantId: string;
  profileId: string;
  status: AffiliateStatus;
}

const termsColumns = sql`p.website, p.landing_page_url as "landingPageUrl",
  p.allowed_landing_pages as "allowedLandingPages", p.allow_custom_destinations as "allowCustomDestinations"`;

const membershipColumns = sql<Membership>`a.id as "affiliateId", a.program_id as "programId", a.merchant_id as "merchantId",
  a.profile_id as "profileId", a.status, ${termsColumns}`;

/** At most two: enough to know whether there is one. */
const ownMemberships = (ctx: Context, programId: string | undefined): RawBuilder<Membership> =>
  sql<Membership>`select ${membershipColumns} from affiliate a join program p on p.id = a.program_id
    where ${allOf([
      sql`a.profile_id = ${profileOf(ctx)}::uuid`,
      programId === undefined ? undefined : sql`a.program_id = ${programId}::uuid`,
    ])}
    order by a.id limit 2`;

/** Locks a name, not the row of the membership, which sales that are being recorded share. */
const lockOfLinks = lockOfName(sql<string>`'links:' || own."affiliateId"`);

const programRequired = () =>
  invalid('BAD_REQUEST', 'A path or query parameter is not valid', [
    { path: 'program_id', code: 'required', message: 'is required unless the affiliate is in exactly one program' },
  ]);

/**
 * The caller's membership in a program, by default in the only one that they joined. Until the transaction ends, no other
 * transaction creates links for it. NOT_FOUND for a missing program, FORBIDDEN for one that the caller has not joined.
 */
export const lockOwnLinks = async (ctx: Context, programId: string | undefined): Promise<Membership> => {
  const [membership, another] = await rows(
    ctx.em,
    sql<Membership>`select own.*, ${lockOfLinks} from (${ownMemberships(ctx, programId)}) as own`,
  );
  if (membership && !another) return membership;
  if (programId === undefined) throw programRequired();
  const program = await firstRow(ctx.em, sql`select 1 from program where id = ${programId}::uuid`);
  throw program ? forbidden('You are not an affiliate of this program') : notFound('Program');
};

/** Of the link `l`. */
const totalClicks = sql`(select coalesce(sum(t.clicks), 0)::float8 from click_total t
  where t.affiliate_id = l.affiliate_id and t.code = l.code)`;

/** The membership that a link belongs to, and the clicks of the link. */
export const getLinkMembership = async (ctx: Context, linkId: string): Promise<Membership & { totalClicks: number }> => {
  const found = await firstRow(
    ctx.em,
    sql<Membership & { totalClicks: number }>`select ${membershipColumns}, ${totalClicks} as "totalClicks"
      from link l join affiliate a on a.id = l.affiliate_id join program p on p.id = a.program_id where l.id = ${linkId}::uuid`,
  );
  invariant(found, 'links and affiliates are never removed');
  return found;
};

/**
 * The caller's links in one program, newest first; empty for a program that they have not joined. Not paged: there are at
 * most `MAX_LINKS_PER_AFFILIATE`.
 */
export const listLinks = async (ctx: Context, { programId }: { programId: string | undefined }): Promise<LinkView[]> => {
  const [membership, another] = await rows(ctx.em, ownMemberships(ctx, programId));
  if (another) throw programRequired();
  if (!membership) return [];
  const found = await rows(
    ctx.em,
    sql<StoredLink & { totalClicks: number }>`
      select l.id, l.program_id as "programId", l.affiliate_id as "affiliateId", l.name, l.code, l.target_url as "targetUrl",
        l.is_active as "isActive", ${totalClicks} as "totalClicks", l.created_at as "createdAt", l.updated_at as "updatedAt"
      from link l where l.affiliate_id = ${membership.affiliateId}::uuid and l.deleted_at is null
      order by l.created_at desc, l.id desc`,
  );
  const { publicUrl } = ctx.settings;
  return found.map((row) => toLink(row, { terms: membership, publicUrl, totalClicks: row.totalClicks }));
};

/** Links of an affiliate: those that exist, and all ever created. */
export const countLinks = async (ctx: Context, affiliateId: string): Promise<{ existing: number; ever: number }> => {
  const counted = await firstRow(
    ctx.em,
    sql<{ existing: number; ever: number }>`
      select count(*) filter (where deleted_at is null)::int as existing, count(*)::int as ever
      from link where affiliate_id = ${affiliateId}::uuid`,
  );
  invariant(counted, 'a count has one row');
  return counted;
};

/**
 * What an affiliate shares: the address of the given link, by default of the oldest that is active. NOT_FOUND for a missing or
 * deleted link, FORBIDDEN for another affiliate's. An affiliate without an active link shares the code.
 */
export const getShareUrl = async (
  ctx: Context,
  { affiliateId, linkId }: { affiliateId: string; linkId: string | undefined },
): Promise<string> => {
  const link = await firstRow(
    ctx.em,
    sql<DestinationTerms & { affiliateId: string; code: string; targetUrl: string | null }>`
      select l.affiliate_id as "affiliateId", l.code, l.target_url as "targetUrl", ${termsColumns}
      from link l join program p on p.id = l.program_id
      where l.deleted_at is null and ${
        linkId === undefined ? sql`l.affiliate_id = ${affiliateId}::uuid and l.is_active` : sql`l.id = ${linkId}::uuid`
      }
      order by l.created_at, l.id limit 1`,
  );
  if (!link && linkId !== undefined) throw notFound('Link');
  if (link && link.affiliateId !== affiliateId) throw forbidden();
  const shared = link ?? (await getOwnTerms(ctx, affiliateId));
  return shareUrlOf(shared, shared) ?? redirectUrlOf(ctx.settings.publicUrl, shared.code);
};

const getOwnTerms = async (
  ctx: Context,
  affiliateId: string,
): Promise<DestinationTerms & { code: string; targetUrl: string | null }> => {
  const found = await firstRow(
    ctx.em,
    sql<DestinationTerms & { code: string; targetUrl: string | null }>`
      select a.code, null::text as "targetUrl", ${termsColumns} from affiliate a join program p on p.id = a.program_id
      where a.id = ${affiliateId}::uuid`,
  );
  invariant(found, 'affiliates are never removed');
  return found;
};
