import { RESOURCE_FILTERS, type ResourceFilter, type ResourceStatus } from '../../contracts/resources.ts';
import { type Context, merchantOf } from '../../platform/context.ts';
import { allOf, firstRow, isoOf, type RawBuilder, rows, sql } from '../../platform/database/sql.ts';
import { forbidden, invariant, notFound } from '../../platform/errors.ts';
import { readOwned } from '../../platform/ownership.ts';
import { getOwnAffiliate } from '../affiliates/index.ts';
import { getProgramOf } from '../programs/index.ts';
import { type ResourceView, type StoredMedia, type StoredResource, toResource } from './resources.wire.ts';

type Row = StoredResource & { media: StoredMedia[] };

/** Of the resource `r`, in their order. */
const media = sql`coalesce((select jsonb_agg(jsonb_build_object('id', m.id, 'fileName', m.file_name, 'mimeType', f.mime_type,
    'byteSize', f.byte_size, 'altText', m.alt_text, 'sortOrder', m.sort_order, 'createdAt', ${isoOf(sql`m.created_at`)})
    order by m.sort_order, m.id)
  from resource_media m join stored_file f on f.id = m.file_id where m.resource_id = r.id), '[]'::jsonb)`;

const columnsWith = (collectionId: RawBuilder<unknown>): RawBuilder<Row> =>
  sql<Row>`r.id, r.program_id as "programId", r.kind, r.status, r.title, r.description, r.body, r.instructions, r.platforms, r.url,
    ${collectionId} as "collectionId", r.published_at as "publishedAt", r.created_at as "createdAt", r.updated_at as "updatedAt",
    ${media} as media`;

const columns = columnsWith(sql`r.collection_id`);
/** Affiliates see the collection only if it is published too. */
const columnsForAffiliate = columnsWith(
  sql`(select c.id from marketing_resource c where c.id = r.collection_id and c.status = 'published')`,
);

export interface ResourceFilters {
  kind?: ResourceFilter | 'drafts' | undefined;
  status?: ResourceStatus | undefined;
  search?: string | undefined;
  limit: number;
  offset: number;
}

/** `%`, `_` and the backslash stand for themselves. */
const patternOf = (text: string): string => `%${text.replaceAll(/[\\%_]/g, '\\$&')}%`;

const conditionsOf = ({
  kind = 'all',
  search,
}: Pick<ResourceFilters, 'kind' | 'search'>): (RawBuilder<unknown> | undefined)[] => {
  const only = kind === 'drafts' ? null : RESOURCE_FILTERS[kind];
  return [
    only === null ? undefined : sql`r.kind = ${only}`,
    search === undefined
      ? undefined
      : sql`(r.title ilike ${patternOf(search)} or r.description ilike ${patternOf(search)} or r.body ilike ${patternOf(search)})`,
  ];
};

const pageOf = ({ limit, offset }: ResourceFilters): RawBuilder<unknown> =>
  sql`order by r.created_at desc, r.id desc limit ${limit} offset ${offset}`;

/** Newest first. Archived ones only when asked for. NOT_FOUND and FORBIDDEN as for the program itself. */
export const listMarketingResources = async (
  ctx: Context,
  { programId, ...filters }: ResourceFilters & { programId: string },
): Promise<ResourceView[]> => {
  await getProgramOf(ctx, programId, merchantOf(ctx));
  const { kind, status } = filters;
  const found = await rows(
    ctx.em,
    sql<Row>`select ${columns} from marketing_resource r where ${allOf([
      sql`r.program_id = ${programId}::uuid`,
      kind === 'drafts' ? sql`r.status = 'draft'` : undefined,
      status === undefined ? sql`r.status <> 'archived'` : sql`r.status = ${status}`,
      ...conditionsOf(filters),
    ])} ${pageOf(filters)}`,
  );
  return found.map(toResource);
};

/** The resource as it is stored now. */
export const readResource = async (ctx: Context, id: string): Promise<ResourceView> => {
  const row = await firstRow(ctx.em, sql<Row>`select ${columns} from marketing_resource r where r.id = ${id}::uuid`);
  invariant(row, 'the resource is locked');
  return toResource(row);
};

/** The merchant's own. */
export const getMarketingResource = async (ctx: Context, id: string): Promise<ResourceView> => {
  const found = await firstRow(
    ctx.em,
    sql<Row & { merchantId: string }>`select ${columns}, r.merchant_id as "merchantId" from marketing_resource r
      where r.id = ${id}::uuid`,
  );
  return toResource(readOwned(ctx, 'Marketing resource', found));
};

/** The caller's membership. NOT_FOUND and FORBIDDEN as for the program; FORBIDDEN while the affiliate is blocked. */
export const getMembership = async (ctx: Context, programId: string): ReturnType<typeof getOwnAffiliate> => {
  const affiliate = await getOwnAffiliate(ctx, programId);
  if (affiliate.status === 'blocked') throw forbidden('A blocked affiliate cannot see the resources of the program');
  return affiliate;
};

const published = sql`r.status = 'published' and exists (
  select 1 from program p where p.id = r.program_id and p.status <> 'archived')`;

/** Published ones of a program that the caller has joined, newest first. */
export const listMyMarketingResources = async (
  ctx: Context,
  { programId, ...filters }: ResourceFilters & { programId: string },
): Promise<ResourceView[]> => {
  await getMembership(ctx, programId);
  const found = await rows(
    ctx.em,
    sql<Row>`select ${columnsForAffiliate} from marketing_resource r
      where ${allOf([sql`r.program_id = ${programId}::uuid`, published, ...conditionsOf(filters)])} ${pageOf(filters)}`,
  );
  return found.map(toResource);
};

/** FORBIDDEN when the caller has not joined its program, NOT_FOUND unless it is published there. */
export const getMyMarketingResource = async (
  ctx: Context,
  { id, programId }: { id: string; programId: string },
): Promise<ResourceView> => {
  const row = await firstRow(
    ctx.em,
    sql<Row & { isPublished: boolean }>`select ${columnsForAffiliate}, ${published} as "isPublished" from marketing_resource r
      where r.id = ${id}::uuid`,
  );
  if (!row) throw notFound('Marketing resource');
  await getMembership(ctx, row.programId);
  if (row.programId !== programId) await getMembership(ctx, programId);
  if (row.programId !== programId || !row.isPublished) throw notFound('Marketing resource');
  return toResource(row);
};
