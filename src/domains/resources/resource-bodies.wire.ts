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
import {
  line,
  nameLine,
  paragraph,
  queryInteger,
  storedUuid,
  stringOrNull,
  timestamp,
  uuid,
  withTextsOf,
} from '../../platform/http/schemas.ts';
import { webUrl } from '../../platform/http/web-urls.ts';
import { mediaSchema, resourceSchema } from './resources.wire.ts';

const program_id = uuid.describe('The program that the resource belongs to');
const title = nameLine(200).describe('What lists show: 1 to 200 characters');
const description = paragraph(2_000).nullish().describe('What the resource is for, at most 2,000 characters');
const instructions = paragraph(5_000).nullish().describe('How affiliates should use it, at most 5,000 characters');
const body = paragraph(10_000)
  .refine((text) => text !== '', 'must not be empty')
  .describe(
    'Text, 1 to 10,000 characters. `{{affiliate_link}}`, `{{affiliate_code}}` and `{{program_name}}` are filled in for each affiliate',
  );
const platforms = z
  .array(z.enum(RESOURCE_PLATFORMS))
  .min(1)
  .max(RESOURCE_PLATFORMS.length)
  .refine((names) => new Set(names).size === names.length, 'must not name a platform twice')
  .describe('Where the post is meant to appear, each once; `generic` for anywhere');
const status = z
  .enum(['draft', 'published'])
  .optional()
  .describe('`published` shows the resource to affiliates at once. Default: `draft`');
const collection_id = uuid.nullish().describe('The collection that contains it, of the same program; null for none');

const page = {
  limit: queryInteger(1, PAGE_MAX).default(PAGE_DEFAULT).describe('Resources of a page, 1 to 100. Default: 20'),
  offset: queryInteger(0, 1_000_000).default(0).describe('Resources to skip. Default: 0'),
};
const search = line(100).optional().describe('Part of the title, description or body, in any case: 1 to 100 characters');

export const listQuery = z.strictObject({
  kind: z
    .enum([...RESOURCE_FILTER_NAMES, 'drafts'])
    .optional()
    .describe('Only resources of this kind; `drafts`: those of every kind that are drafts. Default: `all`'),
  status: z.enum(RESOURCE_STATUSES).optional().describe('Only resources with this status. Default: drafts and published ones'),
  search,
  ...page,
});
export const ownListQuery = z.strictObject({
  kind: z.enum(RESOURCE_FILTER_NAMES).optional().describe('Only resources of this kind. Default: `all`'),
  search,
  ...page,
});

export const programQuery = z.strictObject({ program_id });
export const programBody = z.strictObject({ program_id });
export const mediaParams = z.strictObject({
  id: uuid.describe('Id of this object'),
  mediaId: uuid.describe('The media, as listed in `media` of the post'),
});

const post = {
  title,
  body,
  platforms,
  description,
  instructions,
  collection_id,
  folder_id: uuid.nullish().describe('Always null: resources are grouped by collections'),
};
export const createSocialPostBody = z.strictObject({ ...post, status });
export const updateSocialPostBody = z.strictObject({ program_id, ...z.object(post).partial().shape });

export const createCollectionBody = z.strictObject({ title, description, status });
export const createSwipeCopyBody = z.strictObject({ title, body, description, instructions, collection_id, status });
export const createExternalLinkBody = z.strictObject({
  title,
  url: webUrl.describe('Where the link leads: http or https, at most 2,048 characters'),
  description,
  instructions,
  collection_id,
  status,
});
export const updateResourceBody = z.strictObject({
  program_id,
  ...z
    .object({
      title,
      body,
      url: webUrl.describe('Where an external link leads: http or https, at most 2,048 characters'),
      description,
      instructions,
      collection_id,
    })
    .partial().shape,
});

const file_name = line(255).describe(
  'Name under which the file is downloaded, at most 255 characters. If it does not end in an extension of the file type, one is appended',
);
const file_size_bytes = z.int().min(1);
const upload = {
  upload_path: z
    .string()
    .max(200)
    .regex(/^[\w/.-]+$/)
    .describe('Place of the file, as returned with the upload session'),
  upload_token: z
    .string()
    .max(200)
    .regex(/^[\w.-]+$/)
    .describe('Secret of the upload session: whoever has it can send the file'),
  file_name,
};

export const mediaUploadBody = z.strictObject({
  program_id,
  file_name,
  mime_type: z.enum(MEDIA_TYPES).describe('Type of the file. It is compared with the content'),
  file_size_bytes: file_size_bytes.describe(
    'Exact size of the file in bytes, at most 52,428,800 (50 MB) for images and 209,715,200 (200 MB) for videos',
  ),
});
export const fileUploadBody = z.strictObject(
  withTextsOf(mediaSchema, {
    file_name,
    mime_type: z.enum(FILE_TYPES),
    file_size_bytes: file_size_bytes.describe('Exact size of the file in bytes, at most 52,428,800 (50 MB)'),
  }),
);
export const uploadSessionSchema = z
  .object({
    bucket: z.string().describe('Name of the place where files are kept. The same for all files'),
    upload_path: z.string().describe('Place of the file, as returned with the upload session'),
    upload_token: z.string().describe('Secret of the upload session: whoever has it can send the file'),
    signed_url: z.string().describe('Where the file is sent with PUT, once, as the type and size of the session'),
    expires_in_seconds: z.int().describe('Seconds until the session expires'),
  })
  .meta({ id: 'UploadSession' });

export const createFileBody = z.strictObject({
  ...upload,
  title: title.optional().describe('What lists show: 1 to 200 characters. Default: the name of the file'),
  description,
  instructions,
  collection_id,
  status,
});

const alt_text = nameLine(1_000)
  .nullish()
  .describe(
    'What the image or video shows, for people who do not see it, at most 1,000 characters. Default: none, or that of the replaced media',
  );
export const completeMediaBody = z.strictObject({
  program_id,
  ...upload,
  alt_text,
  sort_order: z
    .int()
    .min(0)
    .max(10_000)
    .optional()
    .describe('Place in the post: lower numbers come first. Default: after all others, or that of the replaced media'),
});
export const reorderMediaBody = z.strictObject({
  program_id,
  media_ids: z.array(uuid).max(100).describe('All media of the post in their new order'),
});
export const updateMediaBody = z.strictObject({ program_id, alt_text });
export const removedMediaSchema = z.object({
  removed: z.literal(true).describe('Always true: the media was removed'),
  media_id: storedUuid.describe('The media that was removed'),
});

export const publishBody = z.strictObject({
  program_id,
  notify_affiliates: z.boolean().nullish().describe('Whether affiliates of the program get an email. Default: false'),
});
export const notificationSchema = z.object({
  requested: z.boolean().describe('Whether a notification was asked for'),
  accepted: z.boolean().optional().describe('Whether the mails are sent. Left out if no notification was asked for'),
  error_code: stringOrNull
    .optional()
    .describe('Why no mails are sent: `NOTIFICATION_LIMIT_REACHED` or `PROGRAM_INACTIVE`; null if they are'),
  message: stringOrNull.optional().describe('Why no mails are sent, in words; null if they are'),
});
export const publishedSchema = z.object({
  resource: resourceSchema.describe('The resource as it is now'),
  notification: notificationSchema.describe('What became of the notification of affiliates'),
});

export const downloadBody = z.strictObject({
  program_id,
  media_id: uuid
    .optional()
    .describe(
      'One image or video of a social post, or the file of a file. Provide exactly one of `media_id`, `resource_id` and `collection_id`',
    ),
  resource_id: uuid
    .optional()
    .describe('A file, or a social post for all its media. Provide exactly one of `media_id`, `resource_id` and `collection_id`'),
  collection_id: uuid
    .optional()
    .describe('A collection, for all its files. Provide exactly one of `media_id`, `resource_id` and `collection_id`'),
  bundle: z
    .enum(BUNDLES)
    .optional()
    .describe(
      'What the zip contains, if you want to make sure: 409 and 422 tell that the target has no such files. Default: not checked',
    ),
  file: z
    .literal(true)
    .optional()
    .describe('True if you want to make sure that the URL is that of one file. Default: not checked'),
});
export const downloadSchema = z
  .object({
    url: z.string().describe('Where the file is, for everybody who has the URL'),
    expires_at: timestamp.describe('Until when the URL can be used'),
    target: z
      .object({
        type: z.enum(['media', ...BUNDLES]).describe('`media` is one file, the others are a zip'),
        id: storedUuid.describe('The media or the resource'),
        file_name: z.string().describe('Name under which the download is saved'),
      })
      .describe('What the URL contains'),
  })
  .meta({ id: 'ResourceDownload' });

export const renderBody = z.strictObject({
  program_id,
  affiliate_link_id: uuid.nullish().describe('One of your links in the program. Default: your oldest active link'),
});
export const renderedSchema = z.object({
  body: z.string().describe('The text with your values in place of the placeholders'),
  disclosure: z.string().describe('Text that marks the post as an advertisement'),
});
