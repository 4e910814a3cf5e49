import { defineEntity, p } from '@mikro-orm/core';
import { RESOURCE_KINDS, RESOURCE_STATUSES, type ResourcePlatform, type ResourceStatus } from '../../contracts/resources.ts';
import type { FileStorage } from '../../platform/storage/file-storage.ts';

declare module '../../platform/context.ts' {
  interface Settings {
    /** Where files are kept. Each of its calls may be a network call: never inside a transaction. */
    storage: FileStorage;
  }
}

export const ResourceSchema = defineEntity({
  name: 'MarketingResource',
  tableName: 'marketing_resource',
  properties: {
    id: p.uuid().primary(),
    merchantId: p.uuid(),
    programId: p.uuid(),
    kind: p.enum(RESOURCE_KINDS),
    status: p.enum(RESOURCE_STATUSES),
    title: p.text(),
    description: p.text().nullable(),
    /** Text of posts and swipe copy. May contain placeholders. */
    body: p.text().nullable(),
    instructions: p.text().nullable(),
    platforms: p.array().columnType('text[]').$type<ResourcePlatform[]>(),
    /** Address of an external link. */
    url: p.text().nullable(),
    collectionId: p.uuid().nullable(),
    publishedAt: p.datetime(3).nullable(),
    createdAt: p.datetime(3),
    updatedAt: p.datetime(3),
  },
});

/** What a merchant may change; undefined leaves a field unchanged. */
export interface ResourceChanges {
  title?: string | undefined;
  description?: string | null | undefined;
  body?: string | undefined;
  instructions?: string | null | undefined;
  platforms?: ResourcePlatform[] | undefined;
  url?: string | undefined;
  collectionId?: string | null | undefined;
}

/** Something that affiliates of a program use to promote it, or a collection of such. */
export class MarketingResource extends ResourceSchema.class {
  /** `updatedAt` changes only when another value does. */
  change(changes: ResourceChanges, at: Date): void {
    const names = Object.keys(changes) as (keyof ResourceChanges)[];
    const changed = names.filter(
      (name) => changes[name] !== undefined && JSON.stringify(changes[name]) !== JSON.stringify(this[name] ?? null),
    );
    if (changed.length === 0) return;
    Object.assign(this, Object.fromEntries(changed.map((name) => [name, changes[name]])), { updatedAt: at });
  }

  /** `publishedAt` is the time of the last publication. */
  move(to: ResourceStatus, at: Date): void {
    if (this.status === to) return;
    this.status = to;
    this.updatedAt = at;
    if (to === 'published') this.publishedAt = at;
  }

  /** Notes that what it shows was changed. */
  touch(at: Date): void {
    this.updatedAt = at;
  }
}

ResourceSchema.setClass(MarketingResource);
