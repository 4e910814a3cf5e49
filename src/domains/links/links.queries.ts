import type { AffiliateStatus } from '../../contracts/affiliates.ts';
import { type Context, onlyMerchantOf, profileOf } from '../../platform/context.ts';
import { compileOnce, type Given } from '../../platform/database/compiled.ts';
import { lockName, lockOfName } from '../../platform/database/lock-name.ts';
import { firstRow, rows, sql } from '../../platform/database/sql.ts';
import { forbidden, invalid, invariant, notFound } from '../../platform/errors.ts';
import { readOwned } from '../../platform/ownership.ts';
import { db } from '../tables.ts';
import type { DestinationTerms } from './destination.rules.ts';
import { type LinkView, toLink } from './links.wire.ts';
import { redirectUrlOf, shareUrlOf } from './share-url.rules.ts';

/** The affiliate that a link belongs to, with its program. */
export interface Membership extends DestinationTerms {
  affiliateId: string;
  programId: string;
  merchantId: string;
  profileId: string;
  status: AffiliateStatus;
}

const TERMS = ['p.website', 'p.landingPageUrl', 'p.allowedLandingPages', 'p.allowCustomDestinations'] as const;

const MEMBERSHIP = ['a.id as affiliateId', 'a.programId', 'a.merchantId', 'a.profileId', 'a.status', ...TERMS] as const;

const OWN_MEMBERSHIP = [
  'affiliateId',
  'programId',
  'merchantId',
  'profileId',
  'status',
  'website',
  'landingPageUrl',
  'allowedLandingPages',
  'allowCustomDestinations',
] as const satisfies readonly (keyof Membership)[];

interface OwnMembership {
  profileId: string;
  programId: string | undefined;
  /** The only merchant whose programs are shown. */
  merchantId?: string | undefined;
}

const ownOf = (ctx: Context, programId: string | undefined): OwnMembership => ({
  profileId: profileOf(ctx),
  programId,
  merchantId: onlyMerchantOf(ctx),
});

/** At most two: enough to know whether there is one. */
const memberships = ({ profileId, programId, merchantId }: Given<OwnMembership>) => {
  const query = db
    .selectFrom('affiliate as a')
    .innerJoin('program as p', 'p.id', 'a.programId')
    .select(MEMBERSHIP)
    .where('a.profileId', '=', profileId)
    .orderBy('a.id')
    .limit(sql.lit(2));
  const shown = merchantId === undefined ? query : query.where('a.merchantId', '=', merchantId);
  return programId === undefined ? shown : shown.where('a.programId', '=', programId);
};

const ownMemberships = compileOnce(memberships);

/** Locks a name, not the row of the membership, which sales that are being recorded share. */
const lockOfLinks = lockOfName(sql<string>`'links:' || own.affiliate_id`);

const lockedMemberships = compileOnce((given: Parameters<typeof memberships>[0]) =>
  db.selectFrom(memberships(given).as('own')).select(OWN_MEMBERSHIP).select(lockOfLinks.as('lock')),
);

const programRequired = () =>
  invalid('BAD_REQUEST', 'A path or query parameter is not valid', [
    { path: 'program_id', code: 'required', message: 'is required unless the affiliate is in exactly one program' },
  ]);

/**
 * The caller's membership in a program, by default in the only one that they joined. Until the transaction ends, no other
 * transaction creates links for it. NOT_FOUND for a missing program, FORBIDDEN for one that the caller has not joined.
 */
export const lockOwnLinks = async (ctx: Context, programId: string | undefined): Promise<Membership> => {
  const [membership, another] = await rows(ctx.em, lockedMemberships(ownOf(ctx, programId)));
  if (membership && !another) return membership;
  if (programId === undefined) throw programRequired();
  const program = await firstRow(ctx.em, db.selectFrom('program').select('id').where('id', '=', programId));
  throw program ? forbidden('You are not an affiliate of this program') : notFound('Program');
};

const membershipOf = compileOnce(({ affiliateId }: Given<{ affiliateId: string }>) =>
  db
    .selectFrom('affiliate as a')
    .innerJoin('program as p', 'p.id', 'a.programId')
    .select(MEMBERSHIP)
    .where('a.id', '=', affiliateId),
);

const readMembership = async (ctx: Context, affiliateId: string): Promise<Membership> =>
  readOwned(ctx, 'Affiliate', await firstRow(ctx.em, membershipOf({ affiliateId })));

/** Like `lockOwnLinks`, for an affiliate of the merchant. NOT_FOUND for a missing affiliate, FORBIDDEN for another merchant's. */
export const lockLinksOf = async (ctx: Context, affiliateId: string): Promise<Membership> => {
  await readMembership(ctx, affiliateId);
  await lockName(ctx, `links:${affiliateId}`);
  return readMembership(ctx, affiliateId);
};

/** Clicks of the link `l`, including those of its earlier codes. */
const totalClicks = sql<number>`(select coalesce(sum(t.clicks), 0) from click_total t
  where t.affiliate_id = l.affiliate_id and t.code in (select r.code from referral_code r where r.link_id = l.id))`;

const ownCode = compileOnce(({ affiliateId }: Given<{ affiliateId: string }>) =>
  db
    .selectFrom('affiliate as a')
    .innerJoin('referral_code as r', 'r.code', 'a.code')
    .select(['a.code', 'r.linkId'])
    .where('a.id', '=', affiliateId),
);

/** The code of an affiliate, and the link that shares it; null where none does. */
export const findOwnCode = async (ctx: Context, affiliateId: string): Promise<{ code: string; linkId: string | null }> => {
  const found = await firstRow(ctx.em, ownCode({ affiliateId }));
  invariant(found, 'every affiliate has a code');
  return found;
};

/** The membership that a link belongs to, and the clicks of the link. */
export const getLinkMembership = async (ctx: Context, linkId: string): Promise<Membership & { totalClicks: number }> => {
  const found = await firstRow(
    ctx.em,
    db
      .selectFrom('link as l')
      .innerJoin('affiliate as a', 'a.id', 'l.affiliateId')
      .innerJoin('program as p', 'p.id', 'a.programId')
      .select(MEMBERSHIP)
      .select(totalClicks.as('totalClicks'))
      .where('l.id', '=', linkId),
  );
  invariant(found, 'links and affiliates are never removed');
  return found;
};

const linksOf = compileOnce(({ affiliateId }: Given<{ affiliateId: string }>) =>
  db
    .selectFrom('link as l')
    .select(['id', 'programId', 'affiliateId', 'name', 'code', 'targetUrl', 'isActive', 'createdAt', 'updatedAt'])
    .select(totalClicks.as('totalClicks'))
    .where('affiliateId', '=', affiliateId)
    .where('deletedAt', 'is', null)
    .orderBy('createdAt', 'desc')
    .orderBy('id', 'desc'),
);

/**
 * The caller's links in one program, newest first; empty for a program that they have not joined. Not paged: there are at
 * most `MAX_LINKS_PER_AFFILIATE`.
 */
export const listLinks = async (ctx: Context, { programId }: { programId: string | undefined }): Promise<LinkView[]> => {
  const [membership, another] = await rows(ctx.em, ownMemberships(ownOf(ctx, programId)));
  if (another) throw programRequired();
  if (!membership) return [];
  return listLinksOf(ctx, membership);
};

/** Like `listLinks`, for an affiliate of the merchant. */
export const listAffiliateLinks = async (ctx: Context, affiliateId: string): Promise<LinkView[]> =>
  listLinksOf(ctx, await readMembership(ctx, affiliateId));

const listLinksOf = async (ctx: Context, membership: Membership): Promise<LinkView[]> => {
  const found = await rows(ctx.em, linksOf({ affiliateId: membership.affiliateId }));
  const { publicUrl } = ctx.settings;
  return found.map((row) => toLink(row, { terms: membership, publicUrl, totalClicks: row.totalClicks }));
};

/** Links of an affiliate: those that exist, and all ever created. */
export const countLinks = async (ctx: Context, affiliateId: string): Promise<{ existing: number; ever: number }> => {
  const counted = await firstRow(
    ctx.em,
    db
      .selectFrom('link')
      .select(({ fn }) => [
        fn.countAll<number>().filterWhere('deletedAt', 'is', null).as('existing'),
        fn.countAll<number>().as('ever'),
      ])
      .where('affiliateId', '=', affiliateId),
  );
  invariant(counted, 'a count has one row');
  return counted;
};

const sharedLinks = () =>
  db
    .selectFrom('link as l')
    .innerJoin('affiliate as a', 'a.id', 'l.affiliateId')
    .innerJoin('program as p', 'p.id', 'l.programId')
    .select(['l.affiliateId', 'l.merchantId', 'a.profileId', 'l.code', 'l.targetUrl', ...TERMS])
    .where('l.deletedAt', 'is', null);

const findOldestLink = (ctx: Context, affiliateId: string) =>
  firstRow(
    ctx.em,
    sharedLinks()
      .where('l.affiliateId', '=', affiliateId)
      .where('l.isActive', '=', sql.lit(true))
      .orderBy('l.createdAt')
      .orderBy('l.id')
      .limit(1),
  );

const readOwnLink = async (ctx: Context, id: string) =>
  readOwned(ctx, 'Link', await firstRow(ctx.em, sharedLinks().where('l.id', '=', id)));

/**
 * What an affiliate shares: the address of the given link, by default of the oldest that is active. NOT_FOUND for a missing or
 * deleted link, FORBIDDEN for another affiliate's. An affiliate without an active link shares the code.
 */
export const getShareUrl = async (
  ctx: Context,
  { affiliateId, linkId }: { affiliateId: string; linkId: string | undefined },
): Promise<string> => {
  const link = linkId === undefined ? await findOldestLink(ctx, affiliateId) : await readOwnLink(ctx, linkId);
  // A link of the same person in another program.
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
    db
      .selectFrom('affiliate as a')
      .innerJoin('program as p', 'p.id', 'a.programId')
      .select(['a.code', ...TERMS])
      .where('a.id', '=', affiliateId),
  );
  invariant(found, 'affiliates are never removed');
  return { ...found, targetUrl: null };
};
