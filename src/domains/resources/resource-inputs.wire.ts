import type { z } from 'zod';
import type { DownloadRequest, DownloadUrl } from './download-url.steps.ts';
import type {
  completeMediaBody,
  createCollectionBody,
  createExternalLinkBody,
  createFileBody,
  createSocialPostBody,
  createSwipeCopyBody,
  downloadBody,
  downloadSchema,
  fileUploadBody,
  mediaUploadBody,
  notificationSchema,
  publishBody,
  removedMediaSchema,
  updateResourceBody,
  updateSocialPostBody,
  uploadSessionSchema,
} from './resource-bodies.wire.ts';
import type { UploadSession } from './upload.steps.ts';
import type { PublishedResource } from './use-cases/publishing.ts';

type Of<S extends z.ZodType> = z.output<S>;

/** What the bodies of all kinds have in common. */
const valuesOf = (given: Partial<Of<typeof createSocialPostBody> & Of<typeof createExternalLinkBody>>) => ({
  description: given.description,
  body: given.body,
  instructions: given.instructions,
  platforms: given.platforms,
  url: given.url,
  collectionId: given.collection_id,
});

export const toNewResource = (
  programId: string,
  given: Of<
    typeof createSocialPostBody | typeof createCollectionBody | typeof createSwipeCopyBody | typeof createExternalLinkBody
  >,
) => ({
  programId,
  title: given.title,
  ...valuesOf(given),
  status: given.status,
  folderId: 'folder_id' in given ? given.folder_id : undefined,
});

export const toResourceChanges = (id: string, given: Of<typeof updateSocialPostBody | typeof updateResourceBody>) => ({
  id,
  programId: given.program_id,
  changes: { title: given.title, ...valuesOf(given) },
});

export const toFileUpload = (programId: string, given: Of<typeof fileUploadBody | typeof mediaUploadBody>) => ({
  programId,
  mimeType: given.mime_type,
  byteSize: given.file_size_bytes,
});

export const toMediaUpload = (resourceId: string, given: Of<typeof mediaUploadBody>) => ({
  resourceId,
  ...toFileUpload(given.program_id, given),
});

export const toUploadSession = (session: UploadSession): Of<typeof uploadSessionSchema> => ({
  bucket: session.bucket,
  upload_path: session.path,
  upload_token: session.token,
  signed_url: session.url,
  expires_in_seconds: session.expiresInSeconds,
});

export const toNewFile = (programId: string, given: Of<typeof createFileBody>) => ({
  programId,
  title: given.title,
  ...valuesOf(given),
  status: given.status,
  fileName: given.file_name,
  uploadPath: given.upload_path,
  uploadToken: given.upload_token,
});

export const toCompletedMedia = (resourceId: string, given: Of<typeof completeMediaBody>) => ({
  resourceId,
  programId: given.program_id,
  uploadPath: given.upload_path,
  uploadToken: given.upload_token,
  fileName: given.file_name,
  altText: given.alt_text,
  sortOrder: given.sort_order,
});

export const toRemovedMedia = ({ id }: { id: string }): Of<typeof removedMediaSchema> => ({ removed: true, media_id: id });

export const toPublication = (id: string, given: Of<typeof publishBody>) => ({
  id,
  programId: given.program_id,
  notifyAffiliates: given.notify_affiliates ?? false,
});

export const toPublished = ({ resource, notification }: PublishedResource) => ({
  resource,
  notification: toNotification(notification),
});

export const toNotification = (notification: PublishedResource['notification']): Of<typeof notificationSchema> => {
  if (notification === null) return { requested: false };
  const isRefused = 'reason' in notification;
  return {
    requested: true,
    accepted: !isRefused,
    error_code: isRefused ? notification.reason : null,
    message: isRefused ? notification.message : null,
  };
};

export const toDownloadRequest = (given: Of<typeof downloadBody>): DownloadRequest => ({
  programId: given.program_id,
  mediaId: given.media_id,
  resourceId: given.resource_id,
  collectionId: given.collection_id,
  bundle: given.bundle,
  file: given.file,
});

export const toDownload = ({ url, expiresAt, target }: DownloadUrl): Of<typeof downloadSchema> => ({
  url,
  expires_at: expiresAt.toISOString(),
  target: { type: target.type, id: target.id, file_name: target.fileName },
});
