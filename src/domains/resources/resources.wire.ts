import { z } from 'zod';
import { RESOURCE_KINDS, RESOURCE_PLATFORMS, RESOURCE_STATUSES } from '../../contracts/resources.ts';
import { type Stored, toIso, toIsoOrNull } from '../../platform/database/sql.ts';
import { id } from '../../platform/http/fields.ts';
import { storedUuid, stringOrNull, timestamp, timestampOrNull } from '../../platform/http/schemas.ts';

/** The published paths of marketing resources are in snake case. */
export const mediaSchema = z
  .object({
    id,
    file_name: z
      .string()
      .describe(
        'Name under which the file is downloaded, at most 255 characters. If it does not end in an extension of the file type, one is appended',
      ),
    mime_type: z.string().describe('Type of the file. It is compared with the content'),
    file_size_bytes: z.int().describe('Exact size of the file in bytes'),
    alt_text: stringOrNull.describe('What the image or video shows, for people who do not see it; null if nothing was entered'),
    sort_order: z.int().describe('Place in the post: lower numbers come first'),
    created_at: timestamp.describe('When the object was created'),
  })
  .meta({ id: 'ResourceMedia' });

export const resourceSchema = z
  .object({
    id,
    program_id: storedUuid.describe('The program that the resource belongs to'),
    kind: z.enum(RESOURCE_KINDS).describe('A `collection` contains resources of the other kinds'),
    status: z.enum(RESOURCE_STATUSES).describe('Affiliates see `published` resources only'),
    title: z.string().describe('What lists show'),
    description: stringOrNull.describe('What the resource is for; null if nothing was entered'),
    body: stringOrNull.describe('Text of a social post or of swipe copy, with placeholders; null for other kinds'),
    instructions: stringOrNull.describe('How affiliates should use it; null if nothing was entered'),
    platforms: z.array(z.enum(RESOURCE_PLATFORMS)).describe('Where a social post is meant to appear; empty for other kinds'),
    url: stringOrNull.describe('Where an external link leads; null for other kinds'),
    collection_id: storedUuid
      .nullable()
      .describe('The collection that contains it; null if there is none, or none that you can see'),
    folder_id: storedUuid.nullable().describe('Always null: resources are grouped by collections'),
    media: z.array(mediaSchema).describe('Images and videos of a social post in their order, or the file of a file'),
    published_at: timestampOrNull.describe('When the resource was published last; null if it never was'),
    created_at: mediaSchema.shape.created_at,
    updated_at: timestamp.describe('When the resource or its files changed last'),
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
