import { z } from 'zod';
import { RESOURCE_KINDS, RESOURCE_PLATFORMS, RESOURCE_STATUSES } from '../../contracts/resources.ts';
import { type Stored, toIso, toIsoOrNull } from '../../platform/database/sql.ts';
import { storedUuid, timestamp } from '../../platform/http/schemas.ts';

/** The published paths of marketing resources are in snake case. */
export const mediaSchema = z
  .object({
    id: storedUuid,
    file_name: z.string(),
    mime_type: z.string(),
    file_size_bytes: z.int(),
    alt_text: z.string().nullable(),
    sort_order: z.int(),
    created_at: timestamp,
  })
  .meta({ id: 'ResourceMedia' });

export const resourceSchema = z
  .object({
    id: storedUuid,
    program_id: storedUuid,
    kind: z.enum(RESOURCE_KINDS),
    status: z.enum(RESOURCE_STATUSES),
    title: z.string(),
    description: z.string().nullable(),
    body: z.string().nullable(),
    instructions: z.string().nullable(),
    platforms: z.array(z.enum(RESOURCE_PLATFORMS)),
    url: z.string().nullable(),
    collection_id: storedUuid.nullable(),
    folder_id: storedUuid.nullable(),
    media: z.array(mediaSchema),
    published_at: timestamp.nullable(),
    created_at: timestamp,
    updated_at: timestamp,
  })
  .meta({ id: 'MarketingResource' });

export type ResourceView = z.infer<typeof resourceSchema>;
export type MediaView = z.infer<typeof mediaSchema>;

interface Fields {
  id: string;
  programId: string;
  kind: ResourceView['kind'];
  status: ResourceView['status'];
  title: string;
  description: string | null;
  body: string | null;
  instructions: string | null;
  platforms: ResourceView['platforms'];
  url: string | null;
  collectionId: string | null;
  publishedAt: string | null;
  createdAt: string;
  updatedAt: string;
}

/** A resource as an entity or as a row. */
export type StoredResource = Stored<Fields, 'publishedAt' | 'createdAt' | 'updatedAt'>;

/** A file of a resource as a row. `createdAt` is ISO text. */
export interface StoredMedia {
  id: string;
  fileName: string;
  mimeType: string;
  byteSize: number;
  altText: string | null;
  sortOrder: number;
  createdAt: string;
}

export const toMedia = (media: StoredMedia): MediaView => ({
  id: media.id,
  file_name: media.fileName,
  mime_type: media.mimeType,
  file_size_bytes: media.byteSize,
  alt_text: media.altText,
  sort_order: media.sortOrder,
  created_at: media.createdAt,
});

export const toResource = (resource: StoredResource & { media?: StoredMedia[] | null }): ResourceView => ({
  id: resource.id,
  program_id: resource.programId,
  kind: resource.kind,
  status: resource.status,
  title: resource.title,
  description: resource.description ?? null,
  body: resource.body ?? null,
  instructions: resource.instructions ?? null,
  platforms: resource.platforms,
  url: resource.url ?? null,
  collection_id: resource.collectionId ?? null,
  // There are no folders: the published field stays empty.
  folder_id: null,
  media: (resource.media ?? []).map(toMedia),
  published_at: toIsoOrNull(resource.publishedAt),
  created_at: toIso(resource.createdAt),
  updated_at: toIso(resource.updatedAt),
});
