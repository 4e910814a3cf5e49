import { COLLECTIONS_PER_PROGRAM, MAX_COLLECTION_ITEMS, MAX_RESOURCES_PER_PROGRAM } from '../../contracts/limits.ts';
import type { ResourceKind } from '../../contracts/resources.ts';
import { type Context, merchantOf } from '../../platform/context.ts';
import { lockName } from '../../platform/database/lock-name.ts';
import { firstRow } from '../../platform/database/sql.ts';
import { conflict, invariant, notFound } from '../../platform/errors.ts';
import { getBillingTier } from '../merchants/index.ts';
import { readOwnedProgram } from '../programs/index.ts';
import { db } from '../tables.ts';
import { MarketingResource, type ResourceChanges } from './resource.entity.ts';
import { lockResource } from './resources.queries.ts';

export interface NewResource extends ResourceChanges {
  programId: string;
  title: string;
  /** Default: draft. */
  status?: 'draft' | 'published' | undefined;
  folderId?: string | null | undefined;
}

/** Adds a resource of the merchant's own program, within the limits of the program, of its collection and of the tier. */
export const addResource = async (ctx: Context, kind: ResourceKind, input: NewResource): Promise<MarketingResource> => {
  const merchantId = merchantOf(ctx);
  const { programId, folderId, status = 'draft', collectionId = null, ...values } = input;
  await readOwnedProgram(ctx, programId);
  assertNoFolder(folderId);
  if (collectionId !== null) await lockCollectionWithSpace(ctx, { id: collectionId, programId });
  await assertBelowLimits(ctx, { programId, kind });
  const now = ctx.clock.now();
  return ctx.em.create(MarketingResource, {
    platforms: [],
    ...defined(values),
    title: input.title,
    id: ctx.ids.next(),
    merchantId,
    programId,
    kind,
    status,
    collectionId,
    publishedAt: status === 'published' ? now : null,
    createdAt: now,
    updatedAt: now,
  });
};

type Defined<T> = { [Name in keyof T]?: Exclude<T[Name], undefined> };

const defined = <T extends object>(values: T): Defined<T> =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as Defined<T>;

/** The published field has no meaning here: there are no folders. */
export const assertNoFolder = (folderId: string | null | undefined): void => {
  if (folderId !== null && folderId !== undefined) throw notFound('Folder');
};

/** Locks the collection, so that what others add to it is counted. `item`: the resource that moves there, if it exists. */
export const lockCollectionWithSpace = async (
  ctx: Context,
  { item, ...target }: { id: string; programId: string; item?: string },
): Promise<void> => {
  const { id } = await lockResource(ctx, { ...target, kind: 'collection' });
  const found = await firstRow(
    ctx.em,
    db
      .selectFrom('marketing_resource')
      .select(({ fn }) => fn.countAll<number>().as('items'))
      .where('collectionId', '=', id)
      .where('id', 'is distinct from', item ?? null),
  );
  if ((found?.items ?? 0) < MAX_COLLECTION_ITEMS) return;
  throw conflict('COLLECTION_FULL', 'The collection has the maximum number of resources', { limit: MAX_COLLECTION_ITEMS });
};

const assertBelowLimits = async (ctx: Context, of: { programId: string; kind: ResourceKind }): Promise<void> => {
  await lockName(ctx, `resources:${of.programId}`);
  const counted = await firstRow(
    ctx.em,
    db
      .selectFrom('marketing_resource')
      .select(({ fn }) => [
        fn.countAll<number>().as('resources'),
        fn.countAll<number>().filterWhere('kind', '=', 'collection').as('collections'),
      ])
      .where('programId', '=', of.programId),
  );
  invariant(counted, 'a count has one row');
  if (counted.resources >= MAX_RESOURCES_PER_PROGRAM) {
    throw conflict('TOO_MANY_RESOURCES', 'The program has the maximum number of resources. Delete one before creating another', {
      limit: MAX_RESOURCES_PER_PROGRAM,
    });
  }
  if (of.kind !== 'collection') return;
  const limit = COLLECTIONS_PER_PROGRAM[await getBillingTier(ctx, merchantOf(ctx))];
  if (limit === null || counted.collections < limit) return;
  throw conflict('TOO_MANY_COLLECTIONS', 'Your plan allows no further collection in this program', { limit });
};
