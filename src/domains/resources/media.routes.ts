import { z } from 'zod';
import { operation } from '../../platform/http/operation.ts';
import { idParams } from '../../platform/http/schemas.ts';
import {
  completeMediaBody,
  createFileBody,
  downloadBody,
  downloadSchema,
  fileUploadBody,
  mediaParams,
  mediaUploadBody,
  programBody,
  removedMediaSchema,
  reorderMediaBody,
  updateMediaBody,
  uploadSessionSchema,
} from './resource-bodies.wire.ts';
import {
  toCompletedMedia,
  toDownload,
  toDownloadRequest,
  toFileUpload,
  toMediaUpload,
  toNewFile,
  toRemovedMedia,
  toUploadSession,
} from './resource-inputs.wire.ts';
import {
  completedMediaExample,
  createdFileExample,
  createdFileUploadExample,
  createdMediaUploadExample,
  downloadExample,
  removedMediaExample,
  reorderedMediaExample,
  updatedMediaExample,
} from './resources.examples.ts';
import { mediaSchema, resourceSchema } from './resources.wire.ts';
import { createDownloadUrl } from './use-cases/download-url.ts';
import {
  completeMediaUpload,
  createFileUploadSession,
  createMediaUploadSession,
  removeMedia,
  reorderMedia,
  replaceMedia,
  updateMedia,
} from './use-cases/media.ts';
import { createFile } from './use-cases/resource.ts';

const write = {
  tag: 'Marketing Resources',
  access: { keys: ['merchant'], scope: 'marketing_resources:write' },
} as const;
/** The response contains a URL that anybody can use. */
const writeUrl = { ...write, secret: true } as const;
const unusable = ['UPLOAD_COMPLETED', 'UPLOAD_EXPIRED', 'UPLOAD_INCOMPLETE'] as const;

export const mediaRoutes = [
  operation({
    ...writeUrl,
    id: 'createFileUploadSession',
    method: 'POST',
    path: '/programs/{id}/marketing-resources/files/upload-sessions',
    summary: 'Create an upload session for a file',
    description:
      'Send the file to `signed_url` with PUT and its `Content-Type`, then create the file. At most 50 MB. The size counts against the storage of your tier from now on.',
    params: idParams,
    body: fileUploadBody,
    reply: uploadSessionSchema,
    status: 201,
    reasons: ['STORAGE_LIMIT_REACHED', 'TOO_MANY_UPLOADS'],
    example: createdFileUploadExample,
    handle: async ({ ctx, params, body }) => toUploadSession(await createFileUploadSession(ctx, toFileUpload(params.id, body))),
  }),
  operation({
    ...write,
    id: 'createFile',
    method: 'POST',
    path: '/programs/{id}/marketing-resources/files',
    summary: 'Create a file',
    description: 'Makes the file of an upload session a resource of the program.',
    params: idParams,
    body: createFileBody,
    reply: resourceSchema,
    status: 201,
    reasons: ['COLLECTION_FULL', 'TOO_MANY_RESOURCES', ...unusable],
    example: createdFileExample,
    handle: ({ ctx, params, body }) => createFile(ctx, toNewFile(params.id, body)),
  }),
  operation({
    ...writeUrl,
    id: 'createMediaUploadSession',
    method: 'POST',
    path: '/marketing-resources/social-posts/{id}/media/upload-sessions',
    summary: 'Create an upload session for a social post',
    description:
      'Send the image or video to `signed_url` with PUT and its `Content-Type`, then complete the upload. Images up to 50 MB, videos up to 200 MB.',
    params: idParams,
    body: mediaUploadBody,
    reply: uploadSessionSchema,
    status: 201,
    reasons: ['STORAGE_LIMIT_REACHED', 'TOO_MANY_UPLOADS'],
    example: createdMediaUploadExample,
    handle: async ({ ctx, params, body }) => toUploadSession(await createMediaUploadSession(ctx, toMediaUpload(params.id, body))),
  }),
  operation({
    ...write,
    id: 'completeMediaUpload',
    method: 'POST',
    path: '/marketing-resources/social-posts/{id}/media/complete',
    summary: 'Add an uploaded file to a social post',
    description: 'Returns the post with its media. At most 10 files and 500 MB per post.',
    params: idParams,
    body: completeMediaBody,
    reply: resourceSchema,
    reasons: ['POST_FULL', ...unusable],
    example: completedMediaExample,
    handle: ({ ctx, params, body }) => completeMediaUpload(ctx, toCompletedMedia(params.id, body)),
  }),
  operation({
    ...write,
    id: 'reorderMedia',
    method: 'POST',
    path: '/marketing-resources/social-posts/{id}/media/reorder',
    summary: 'Reorder the media of a social post',
    description: 'Name all media of the post in their new order. Returns the media.',
    params: idParams,
    body: reorderMediaBody,
    reply: z.array(mediaSchema),
    example: reorderedMediaExample,
    handle: ({ ctx, params, body }) =>
      reorderMedia(ctx, { resourceId: params.id, programId: body.program_id, mediaIds: body.media_ids }),
  }),
  operation({
    ...write,
    id: 'updateMedia',
    method: 'PATCH',
    path: '/marketing-resources/social-posts/{id}/media/{mediaId}',
    summary: 'Update media of a social post',
    description: 'Changes the alternative text. Returns the post with its media.',
    params: mediaParams,
    body: updateMediaBody,
    reply: resourceSchema,
    example: updatedMediaExample,
    handle: ({ ctx, params, body }) =>
      updateMedia(ctx, { resourceId: params.id, mediaId: params.mediaId, programId: body.program_id, altText: body.alt_text }),
  }),
  operation({
    ...write,
    id: 'removeMedia',
    method: 'DELETE',
    path: '/marketing-resources/social-posts/{id}/media/{mediaId}',
    summary: 'Remove media from a social post',
    description: 'The file is removed, and its download URLs end.',
    params: mediaParams,
    body: programBody,
    reply: removedMediaSchema,
    example: removedMediaExample,
    handle: async ({ ctx, params, body }) =>
      toRemovedMedia(await removeMedia(ctx, { resourceId: params.id, mediaId: params.mediaId, programId: body.program_id })),
  }),
  operation({
    ...write,
    id: 'replaceMedia',
    method: 'POST',
    path: '/marketing-resources/social-posts/{id}/media/{mediaId}/replace',
    summary: 'Replace media of a social post',
    description:
      'The media keeps its id, and its alternative text and position unless you give others. The file before is removed.',
    params: mediaParams,
    body: completeMediaBody,
    reply: resourceSchema,
    reasons: ['POST_FULL', ...unusable],
    example: completedMediaExample,
    handle: ({ ctx, params, body }) => replaceMedia(ctx, { ...toCompletedMedia(params.id, body), mediaId: params.mediaId }),
  }),
  operation({
    ...writeUrl,
    id: 'createDownloadUrl',
    method: 'POST',
    path: '/marketing-resources/download-url',
    summary: 'Create a download URL',
    description:
      'For one file, the media of a post, or the files of a collection; several files are one zip. Whoever has the URL can use it for 10 minutes.',
    body: downloadBody,
    reply: downloadSchema,
    errors: ['NOT_FOUND'],
    reasons: ['NOTHING_TO_DOWNLOAD'],
    example: downloadExample,
    handle: async ({ ctx, body }) => toDownload(await createDownloadUrl(ctx, toDownloadRequest(body))),
  }),
];
