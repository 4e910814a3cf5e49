import { RESOURCE_FILTERS, type ResourceFilter, type ResourceKind, type ResourceStatus } from '../../contracts/resources.ts';
import type { Context } from '../../platform/context.ts';
import { compileOnce, type Given } from '../../platform/database/compiled.ts';
import {
  type ExpressionBuilder,
  firstRow,
  isoOf,
  jsonBuildObject,
  type RawBuilder,
  rows,
  sql,
} from '../../platform/database/sql.ts';
import { forbidden, invariant, notFound } from '../../platform/errors.ts';
import { lockOwned, readOwned } from '../../platform/ownership.ts';
import { searchPatternOf } from '../../platform/search-text.ts';
import { getOwnAffiliate } from '../affiliates/index.ts';
import { readOwnedProgram } from '../programs/index.ts';
import { db, type Tables } from '../tables.ts';
import { MarketingResource } from './resource.entity.ts';
import { type ResourceView, type StoredMedia, toResource } from './resources.wire.ts';

const WHAT = { collection: 'Collection', social_post: 'Social post' } as const;

export interface ResourceTarget {
  id: string;
  /** The program that the caller says it belongs to. */
  programId: string;
  /** Undefined: any. */
  kind?: Extract<ResourceKind, keyof typeof WHAT>;
}

/**
 * The merchant's resource, locked until the transaction ends. FORBIDDEN for another merchant's resource or program, NOT_FOUND
 * for a missing one, one of another program and one of another kind. Lock a collection before what is in it.
 */
export const lockResource = async (ctx: Context, { id, programId, kind }: ResourceTarget): Promise<MarketingResource> => {
  const what = kind === undefined ? 'Marketing resource' : WHAT[kind];
  const resource = await lockOwned(ctx, what, MarketingResource, { id });
  if (resource.programId !== programId) await readOwnedProgram(ctx, programId);
  if (resource.programId !== programId || (kind !== undefined && resource.kind !== kind)) throw notFound(what);
  return resource;
};

/** Media of the resource `r`, in their order. */
const media = db
  .selectFrom('resource_media as m')
  .innerJoin('stored_file as f', 'f.id', 'm.fileId')
  .where('m.resourceId', '=', sql.ref<string>('r.id'))
  .select(({ fn, ref }) => {
    const one: RawBuilder<StoredMedia> = jsonBuildObject({
      id: ref('m.id'),
      fileName: ref('m.fileName'),
      mimeType: ref('f.mimeType'),
      byteSize: ref('f.byteSize'),
      altText: ref('m.altText'),
      sortOrder: ref('m.sortOrder'),
      createdAt: isoOf(ref('m.createdAt')),
    });
    return fn.agg<StoredMedia[] | null>('json_agg', [one]).orderBy('m.sortOrder').orderBy('m.id').as('media');
  })
  .as('media');

const resources = db
  .selectFrom('marketing_resource as r')
  .select(['r.id', 'r.programId', 'r.kind', 'r.status', 'r.title', 'r.description', 'r.body', 'r.instructions', 'r.platforms'])
  .select(['r.url', 'r.publishedAt', 'r.createdAt', 'r.updatedAt', media]);

const resourceById = compileOnce(({ id }: Given<{ id: string }>) =>
  resources.select(['r.collectionId', 'r.merchantId']).where('r.id', '=', id),
);

/** The resource as it is stored now. */
export const readResource = async (ctx: Context, id: string): Promise<ResourceView> => {
  const row = await firstRow(ctx.em, resourceById({ id }));
  invariant(row, 'the resource is locked');
  return toResource(row);
};

/** The merchant's own. */
export const getMarketingResource = async (ctx: Context, id: string): Promise<ResourceView> =>
  toResource(readOwned(ctx, 'Marketing resource', await firstRow(ctx.em, resourceById({ id }))));

export interface ResourceFilters {
  kind?: ResourceFilter | 'drafts' | undefined;
  status?: ResourceStatus | undefined;
  search?: string | undefined;
  limit: number;
  offset: number;
}

interface Filter {
  programId: string;
  kind: ResourceKind | undefined;
  pattern: string | undefined;
  limit: number;
  offset: number;
}

const filterOf = (programId: string, { kind = 'all', search, limit, offset }: ResourceFilters): Filter => ({
  programId,
  kind: (kind === 'drafts' ? null : RESOURCE_FILTERS[kind]) ?? undefined,
  pattern: search === undefined ? undefined : searchPatternOf(search),
  limit,
  offset,
});

const SEARCHED = ['r.title', 'r.description', 'r.body'];

/** Newest first. */
const pageOf = ({ programId, kind, pattern, limit, offset }: Given<Filter>) => {
  let query = resources.where('r.programId', '=', programId);
  if (kind) query = query.where('r.kind', '=', kind);
  if (pattern)
    query = query.where(({ or }) => or(SEARCHED.map((column) => sql<boolean>`fold_text(${sql.ref(column)}) like ${pattern}`)));
  return query.orderBy('r.createdAt', 'desc').orderBy('r.id', 'desc').limit(limit).offset(offset);
};

const ownPage = compileOnce(
  ({ status, draft, ...filter }: Given<Filter & { status: ResourceStatus | undefined; draft: 'draft' | undefined }>) => {
    let query = pageOf(filter).select('r.collectionId');
    if (draft) query = query.where('r.status', '=', draft);
    return status ? query.where('r.status', '=', status) : query.where('r.status', '<>', 'archived');
  },
);

/** Newest first. Archived ones only when asked for. NOT_FOUND and FORBIDDEN as for the program itself. */
export const listMarketingResources = async (
  ctx: Context,
  { programId, ...filters }: ResourceFilters & { programId: string },
): Promise<ResourceView[]> => {
  await readOwnedProgram(ctx, programId);
  const { kind, status } = filters;
  const draft = kind === 'drafts' ? 'draft' : undefined;
  const found = await rows(ctx.em, ownPage({ ...filterOf(programId, filters), status, draft }));
  return found.map(toResource);
};

/** The caller's membership. NOT_FOUND and FORBIDDEN as for the program; FORBIDDEN while the affiliate is blocked. */
export const getMembership = async (ctx: Context, programId: string): ReturnType<typeof getOwnAffiliate> => {
  const affiliate = await getOwnAffiliate(ctx, programId);
  if (affiliate.status === 'blocked') throw blocked();
  return affiliate;
};

const blocked = () => forbidden('A blocked affiliate cannot see the resources of the program');

/** FORBIDDEN for a membership that has ended since. */
export const assertNotBlocked = async (ctx: Context, affiliateId: string): Promise<void> => {
  const found = await firstRow(ctx.em, db.selectFrom('affiliate').select(['status', 'erasedAt']).where('id', '=', affiliateId));
  if (!found || found.status === 'blocked' || found.erasedAt !== null) throw blocked();
};

type Resource = ExpressionBuilder<Tables & { r: Tables['marketing_resource'] }, 'r'>;

const isPublished = ({ and, eb, exists, selectFrom }: Resource) =>
  and([
    eb('r.status', '=', 'published'),
    exists(selectFrom('program as p').select('p.id').whereRef('p.id', '=', 'r.programId').where('p.status', '<>', 'archived')),
  ]);

/** Affiliates see the collection only if it is published too. */
const publishedCollection = ({ selectFrom }: Resource) =>
  selectFrom('marketing_resource as c')
    .select('c.id')
    .whereRef('c.id', '=', 'r.collectionId')
    .where('c.status', '=', 'published')
    .as('collectionId');

const publishedPage = compileOnce((filter: Given<Filter>) => pageOf(filter).select(publishedCollection).where(isPublished));

/** Published ones of a program that the caller has joined, newest first. */
export const listMyMarketingResources = async (
  ctx: Context,
  { programId, ...filters }: ResourceFilters & { programId: string },
): Promise<ResourceView[]> => {
  await getMembership(ctx, programId);
  const found = await rows(ctx.em, publishedPage(filterOf(programId, filters)));
  return found.map(toResource);
};

const resourceForAffiliate = compileOnce(({ id }: Given<{ id: string }>) =>
  resources
    .select(publishedCollection)
    .select((resource) => isPublished(resource).as('isPublished'))
    .where('r.id', '=', id),
);

/** FORBIDDEN when the caller has not joined its program, NOT_FOUND unless it is published there. */
export const getMyMarketingResource = async (
  ctx: Context,
  { id, programId }: { id: string; programId: string },
): Promise<ResourceView> => {
  const row = await firstRow(ctx.em, resourceForAffiliate({ id }));
  if (!row) throw notFound('Marketing resource');
  await getMembership(ctx, row.programId);
  if (row.programId !== programId) await getMembership(ctx, programId);
  if (row.programId !== programId || !row.isPublished) throw notFound('Marketing resource');
  return toResource(row);
};
