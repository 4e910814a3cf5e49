import { z } from 'zod';
import { PAGE_DEFAULT, PAGE_MAX } from '../../contracts/limits.ts';
import {
  BUNDLES,
  FILE_TYPES,
  MEDIA_TYPES,
  RESOURCE_FILTER_NAMES,
  RESOURCE_PLATFORMS,
  RESOURCE_STATUSES,
} from '../../contracts/resources.ts';
import { line, paragraph, queryInteger, storedUuid, timestamp, uuid, webUrl } from '../../platform/http/schemas.ts';

const title = line(200);
const description = paragraph(2_000).nullish();
const instructions = paragraph(5_000).nullish();
const body = paragraph(10_000).refine((text) => text !== '', 'must not be empty');
const platforms = z
  .array(z.enum(RESOURCE_PLATFORMS))
  .min(1)
  .max(RESOURCE_PLATFORMS.length)
  .refine((names) => new Set(names).size === names.length, 'must not name a platform twice');
const status = z.enum(['draft', 'published']).optional();
const collection_id = uuid.nullish();

const page = {
  limit: queryInteger(1, PAGE_MAX).default(PAGE_DEFAULT),
  offset: queryInteger(0, 1_000_000).default(0),
};
const search = line(100).optional();

export const listQuery = z.strictObject({
  kind: z.enum([...RESOURCE_FILTER_NAMES, 'drafts']).optional(),
  status: z.enum(RESOURCE_STATUSES).optional(),
  search,
  ...page,
});
export const ownListQuery = z.strictObject({ kind: z.enum(RESOURCE_FILTER_NAMES).optional(), search, ...page });

export const programQuery = z.strictObject({ program_id: uuid });
export const programBody = z.strictObject({ program_id: uuid });
export const mediaParams = z.strictObject({ id: uuid, mediaId: uuid });

const post = { title, body, platforms, description, instructions, collection_id, folder_id: uuid.nullish() };
export const createSocialPostBody = z.strictObject({ ...post, status });
export const updateSocialPostBody = z.strictObject({ program_id: uuid, ...z.object(post).partial().shape });

export const createCollectionBody = z.strictObject({ title, description, status });
export const createSwipeCopyBody = z.strictObject({ title, body, description, instructions, collection_id, status });
export const createExternalLinkBody = z.strictObject({ title, url: webUrl, description, instructions, collection_id, status });
export const updateResourceBody = z.strictObject({
  program_id: uuid,
  ...z.object({ title, body, url: webUrl, description, instructions, collection_id }).partial().shape,
});

const file_name = line(255);
const file_size_bytes = z.int().min(1);
const upload = {
  upload_path: z
    .string()
    .max(200)
    .regex(/^[\w/.-]+$/),
  upload_token: z
    .string()
    .max(200)
    .regex(/^[\w.-]+$/),
  file_name,
};

export const mediaUploadBody = z.strictObject({ program_id: uuid, file_name, mime_type: z.enum(MEDIA_TYPES), file_size_bytes });
export const fileUploadBody = z.strictObject({ file_name, mime_type: z.enum(FILE_TYPES), file_size_bytes });
export const uploadSessionSchema = z
  .object({
    bucket: z.string(),
    upload_path: z.string(),
    upload_token: z.string(),
    signed_url: z.string(),
    expires_in_seconds: z.int(),
  })
  .meta({ id: 'UploadSession' });

export const createFileBody = z.strictObject({
  ...upload,
  title: title.optional(),
  description,
  instructions,
  collection_id,
  status,
});

const alt_text = line(1_000).nullish();
export const completeMediaBody = z.strictObject({
  program_id: uuid,
  ...upload,
  alt_text,
  sort_order: z.int().min(0).max(10_000).optional(),
});
export const reorderMediaBody = z.strictObject({ program_id: uuid, media_ids: z.array(uuid).max(100) });
export const updateMediaBody = z.strictObject({ program_id: uuid, alt_text });
export const removedMediaSchema = z.object({ removed: z.literal(true), media_id: storedUuid });

export const publishBody = z.strictObject({ program_id: uuid, notify_affiliates: z.boolean().nullish() });
export const notificationSchema = z.object({
  requested: z.boolean(),
  accepted: z.boolean().optional(),
  error_code: z.string().nullable().optional(),
  message: z.string().nullable().optional(),
});

export const downloadBody = z.strictObject({
  program_id: uuid,
  media_id: uuid.optional(),
  resource_id: uuid.optional(),
  collection_id: uuid.optional(),
  bundle: z.enum(BUNDLES).optional(),
  file: z.literal(true).optional(),
});
export const downloadSchema = z
  .object({
    url: z.string(),
    expires_at: timestamp,
    target: z.object({ type: z.enum(['media', ...BUNDLES]), id: storedUuid, file_name: z.string() }),
  })
  .meta({ id: 'ResourceDownload' });

export const renderBody = z.strictObject({ program_id: uuid, affiliate_link_id: uuid.nullish() });
export const renderedSchema = z.object({ body: z.string(), disclosure: z.string() });
