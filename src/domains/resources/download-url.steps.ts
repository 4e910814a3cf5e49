import { z } from 'zod';
import type { ProgramStatus } from '../../contracts/programs.ts';
import type { Bundle, ResourceKind, ResourceStatus } from '../../contracts/resources.ts';
import { after, MINUTE_MS } from '../../platform/clock.ts';
import { type Context, callerOf, grantIdOf } from '../../platform/context.ts';
import { readToken, signToken } from '../../platform/crypto/signed-token.ts';
import { firstRow, sql } from '../../platform/database/sql.ts';
import { conflict, invalidField, notFound } from '../../platform/errors.ts';
import { readOwned } from '../../platform/ownership.ts';
import { readOwnedProgram } from '../programs/index.ts';
import { db } from '../tables.ts';
import { listDownloadFiles, type Viewer } from './downloads.queries.ts';
import { getMembership } from './resources.queries.ts';

const LIFETIME_MS = 10 * MINUTE_MS;
const PURPOSE = 'resource download';

const tokenSchema = z.tuple([
  z.enum(['media', 'social_post_media', 'collection_files']),
  z.uuid(),
  z.enum(['merchant', 'affiliate']),
  z.uuid(),
  z.uuid().nullable(),
  z.number(),
]);

export interface DownloadTarget {
  type: 'media' | Bundle;
  id: string;
  viewer: Viewer;
}

/** What a URL is for, and whose it is. */
export interface SignedTarget extends DownloadTarget {
  grantId: string;
  /** Null: a merchant's. */
  affiliateId: string | null;
  isExpired: boolean;
}

/** What the token of a URL names: null for any other text. */
export const readDownloadToken = (ctx: Context, token: string): SignedTarget | null => {
  const text = readToken(ctx.cipher, PURPOSE, token);
  if (text === null) return null;
  const [type, id, viewer, grantId, affiliateId, expiresAtMs] = tokenSchema.parse(JSON.parse(text));
  return { type, id, viewer, grantId, affiliateId, isExpired: expiresAtMs < ctx.clock.now().getTime() };
};

export interface DownloadRequest {
  programId: string;
  mediaId?: string | undefined;
  resourceId?: string | undefined;
  collectionId?: string | undefined;
  bundle?: Bundle | undefined;
  file?: true | undefined;
}

export interface DownloadUrl {
  url: string;
  expiresAt: Date;
  target: { type: DownloadTarget['type']; id: string; fileName: string };
}

/** A URL that anybody can use until it expires, or its key, role or membership ends. NOTHING_TO_DOWNLOAD for a bundle without files. */
export const createUrl = async (ctx: Context, viewer: Viewer, request: DownloadRequest): Promise<DownloadUrl> => {
  const named = await findNamed(ctx, request);
  const affiliateId = await assertVisible(ctx, viewer, named, request);
  const target = targetOf(named, request);
  const { fileName, files } = await listDownloadFiles(ctx, { ...target, viewer });
  if (files.length === 0) throw conflict('NOTHING_TO_DOWNLOAD', 'There is no file to download');
  const expiresAt = after(ctx.clock.now(), LIFETIME_MS);
  const token = signToken(
    ctx.cipher,
    PURPOSE,
    JSON.stringify([target.type, target.id, viewer, grantIdOf(callerOf(ctx)), affiliateId, expiresAt.getTime()]),
  );
  return { url: `${ctx.settings.publicUrl}/files/downloads/${token}`, expiresAt, target: { ...target, fileName } };
};

interface Named {
  what: 'Media' | 'Marketing resource' | 'Collection';
  mediaId: string | null;
  resourceId: string;
  programId: string;
  merchantId: string;
  kind: ResourceKind;
  status: ResourceStatus;
  programStatus: ProgramStatus;
}

const named = db
  .selectFrom('marketing_resource as r')
  .innerJoin('program as p', 'p.id', 'r.programId')
  .select(['r.id as resourceId', 'r.programId', 'r.merchantId', 'r.kind', 'r.status', 'p.status as programStatus']);

const namedResource = (id: string) => named.select(sql<null>`null`.as('mediaId')).where('r.id', '=', id);

const namedMedia = (id: string) =>
  named.innerJoin('resource_media as m', 'm.resourceId', 'r.id').select('m.id as mediaId').where('m.id', '=', id);

/** The one object that a request names. */
const findNamed = async (ctx: Context, { mediaId, resourceId, collectionId }: DownloadRequest): Promise<Named> => {
  const [name, another] = [mediaId && 'media_id', resourceId && 'resource_id', collectionId && 'collection_id'].filter(Boolean);
  if (name === undefined) throw invalidField('media_id', 'is required, unless resource_id or collection_id is given');
  if (another !== undefined) throw invalidField(another, `cannot be combined with ${name}`);
  const what = { media_id: 'Media', resource_id: 'Marketing resource', collection_id: 'Collection' }[name] as Named['what'];
  const id = mediaId ?? resourceId ?? collectionId ?? '';
  const found = await firstRow(ctx.em, mediaId === undefined ? namedResource(id) : namedMedia(id));
  if (!found) throw notFound(what);
  return { ...found, what };
};

/** Returns the membership by which it is visible; null for the merchant. */
const assertVisible = async (
  ctx: Context,
  viewer: Viewer,
  named: Named,
  { programId }: DownloadRequest,
): Promise<string | null> => {
  const isOther = named.programId !== programId;
  if (viewer === 'merchant') {
    readOwned(ctx, named.what, named);
    if (isOther) await readOwnedProgram(ctx, programId);
  }
  const membership = viewer === 'affiliate' ? await getMembership(ctx, named.programId) : null;
  if (membership && isOther) await getMembership(ctx, programId);
  const isHidden = membership && (named.status !== 'published' || named.programStatus === 'archived');
  if (isHidden || isOther) throw notFound(named.what);
  return membership?.id ?? null;
};

/** By default the file of a file, the media of a post, and the files of a collection. */
const targetOf = (named: Named, { collectionId, bundle, file }: DownloadRequest): Pick<DownloadTarget, 'type' | 'id'> => {
  if (collectionId !== undefined && named.kind !== 'collection') throw notFound(named.what);
  const type = typeOf(named);
  if (type === null) throw conflict('NOTHING_TO_DOWNLOAD', 'This kind of resource has no files');
  const given = bundle ?? (file ? 'file' : undefined);
  const own = type === 'media' ? 'file' : type;
  if (given !== undefined && given !== own)
    throw invalidField(bundle ? 'bundle' : 'file', `does not match the target; use ${own === 'file' ? 'file' : `bundle ${own}`}`);
  return { type, id: named.mediaId ?? named.resourceId };
};

const typeOf = ({ mediaId, kind }: Named): DownloadTarget['type'] | null => {
  if (mediaId !== null) return 'media';
  if (kind === 'collection') return 'collection_files';
  if (kind === 'social_post') return 'social_post_media';
  return kind === 'file' ? 'media' : null;
};
