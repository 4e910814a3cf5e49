import type { ResourceKind } from '../../contracts/resources.ts';
import { type Context, merchantOf } from '../../platform/context.ts';
import { notFound } from '../../platform/errors.ts';
import { lockOwned } from '../../platform/ownership.ts';
import { getProgramOf } from '../programs/index.ts';
import { MarketingResource } from './resource.entity.ts';

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
  if (resource.programId !== programId) await getProgramOf(ctx, programId, merchantOf(ctx));
  if (resource.programId !== programId || (kind !== undefined && resource.kind !== kind)) throw notFound(what);
  return resource;
};
