import type { AffiliateStatus } from '../../contracts/affiliates.ts';
import type { AffiliateScope } from '../../contracts/scopes.ts';
import type { Context, EmbedActor } from '../../platform/context.ts';
import { compileOnce, type Given } from '../../platform/database/compiled.ts';
import { firstRow } from '../../platform/database/sql.ts';
import { hasGrant } from '../auth/index.ts';
import { PORTAL_COLUMNS, type PortalFields, type PortalRow, toPortalFields } from '../programs/index.ts';
import { db } from '../tables.ts';
import { type EmbedToken, readEmbedToken } from './embed-token.steps.ts';

/** An affiliate as an embedded page needs them. */
interface EmbedRow extends PortalRow {
  profileId: string;
  merchantId: string;
  status: AffiliateStatus;
  isErased: boolean;
  programName: string;
  embedOrigins: string[];
  host: string | null;
  hostVerifiedAt: string | Date | null;
}

const embedOf = compileOnce(({ affiliateId }: Given<{ affiliateId: string }>) =>
  db
    .selectFrom('affiliate as a')
    .innerJoin('program as p', 'p.id', 'a.programId')
    .leftJoin('program_portal as o', 'o.programId', 'p.id')
    .select(PORTAL_COLUMNS)
    .select(['a.profileId', 'a.merchantId', 'a.status', 'p.name as programName', 'p.embedOrigins', 'o.host', 'o.hostVerifiedAt'])
    .select(({ eb }) => eb('a.erasedAt', 'is not', null).as('isErased'))
    .where('a.id', '=', affiliateId),
);

export const findEmbed = async (ctx: Context, affiliateId: string): Promise<EmbedRow | null> => {
  const row = await firstRow(ctx.em, embedOf({ affiliateId }));
  return row && { ...row, isErased: Boolean(row.isErased) };
};

/** What the operations of an embedded page need. */
const SCOPES: readonly AffiliateScope[] = ['profile:read', 'earnings:read', 'links:read', 'payouts:read'];

/** An embedded page, by its token. */
export interface OpenedEmbed extends PortalFields {
  /** Null: the token has expired, or whoever made it or whom it names may not use it any more. */
  actor: EmbedActor | null;
  merchantId: string;
  programName: string;
  /** Origins of the apps that may show it in a frame. */
  origins: readonly string[];
}

/** Null for a token that was not signed here. All other data is as stored now. */
export const openEmbed = async (ctx: Context, text: string): Promise<OpenedEmbed | null> => {
  const token = readEmbedToken(ctx, text);
  const row = token && (await findEmbed(ctx, token.affiliateId));
  if (!row) return null;
  const { merchantId, programName, embedOrigins } = row;
  const actor = (await isOpen(ctx, token, row)) ? actorOf(token, row) : null;
  return { actor, merchantId, programName, ...toPortalFields(ctx, row), origins: embedOrigins };
};

const isOpen = async (ctx: Context, { grantId, expiresAt }: EmbedToken, { status, isErased }: EmbedRow): Promise<boolean> =>
  expiresAt > ctx.clock.now() &&
  status === 'approved' &&
  !isErased &&
  (await hasGrant(ctx, { grantId, scope: 'affiliates:manage' }));

const actorOf = ({ affiliateId, grantId }: EmbedToken, { profileId, merchantId }: EmbedRow): EmbedActor => ({
  kind: 'embed',
  keyType: 'affiliate',
  ownerId: profileId,
  scopes: SCOPES,
  merchantId,
  affiliateId,
  grantId,
});
