/** A collection is a container of the others. */
export const RESOURCE_KINDS = ['collection', 'file', 'social_post', 'swipe_copy', 'external_link'] as const;
export type ResourceKind = (typeof RESOURCE_KINDS)[number];

/** Drafts and archived resources are shown to the merchant only. */
export const RESOURCE_STATUSES = ['draft', 'published', 'archived'] as const;
export type ResourceStatus = (typeof RESOURCE_STATUSES)[number];

/** The `kind` of a list of an affiliate, with what it selects. Null: every kind. */
export const RESOURCE_FILTERS = {
  all: null,
  collections: 'collection',
  files: 'file',
  social_posts: 'social_post',
  swipe_copy: 'swipe_copy',
  links: 'external_link',
} as const satisfies Record<string, ResourceKind | null>;
export type ResourceFilter = keyof typeof RESOURCE_FILTERS;
export const RESOURCE_FILTER_NAMES = Object.keys(RESOURCE_FILTERS) as [ResourceFilter, ...ResourceFilter[]];

export const RESOURCE_PLATFORMS = ['x', 'linkedin', 'instagram', 'tiktok', 'facebook', 'threads', 'generic'] as const;
export type ResourcePlatform = (typeof RESOURCE_PLATFORMS)[number];

export const IMAGE_TYPES = ['image/png', 'image/jpeg', 'image/webp', 'image/gif'] as const;
export const VIDEO_TYPES = ['video/mp4', 'video/quicktime', 'video/webm'] as const;
/** Types of media in posts. */
export const MEDIA_TYPES = [...IMAGE_TYPES, ...VIDEO_TYPES] as const;
/** Types of files: those of media, and PDF. */
export const FILE_TYPES = [...MEDIA_TYPES, 'application/pdf'] as const;
export type FileType = (typeof FILE_TYPES)[number];

/** What a download URL contains several files of. */
export const BUNDLES = ['social_post_media', 'collection_files'] as const;
export type Bundle = (typeof BUNDLES)[number];

/** The paid disclosure that an affiliate adds to a post. */
export const DISCLOSURE = '#ad';

/** `expected`: announced; `receiving`: being sent; `received`: sent and not used yet; `discarded`: to be removed from the storage. */
export const FILE_STATUSES = ['expected', 'receiving', 'received', 'in_use', 'discarded'] as const;
export type FileStatus = (typeof FILE_STATUSES)[number];
