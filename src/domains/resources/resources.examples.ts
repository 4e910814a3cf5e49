import type { MediaView, ResourceView } from './resources.wire.ts';

const programId = '0198f1c2-8b10-7d02-8f3e-51c9a7e2b604';

export const mediaExample: MediaView = {
  id: '0198f1c2-b4e0-7c41-8d93-1a5be7f20c66',
  file_name: 'launch.png',
  mime_type: 'image/png',
  file_size_bytes: 48213,
  alt_text: 'The new dashboard',
  sort_order: 0,
  created_at: '2026-01-17T09:32:00.000Z',
};

export const postExample: ResourceView = {
  id: '0198f1c2-b3c2-7a15-9f20-8e64d1c7b052',
  program_id: programId,
  kind: 'social_post',
  status: 'draft',
  title: 'Launch of the new dashboard',
  description: 'For the week of the launch',
  body: 'I plan my week with {{program_name}}: {{affiliate_link}}',
  instructions: 'Post before Friday',
  platforms: ['x', 'linkedin'],
  url: null,
  collection_id: null,
  folder_id: null,
  media: [mediaExample],
  published_at: null,
  created_at: '2026-01-17T09:30:00.000Z',
  updated_at: '2026-01-17T09:32:00.000Z',
};

export const publishedPostExample: ResourceView = {
  ...postExample,
  status: 'published',
  published_at: '2026-01-17T10:00:00.000Z',
  updated_at: '2026-01-17T10:00:00.000Z',
};

const { title, body, platforms, description, instructions, collection_id, folder_id } = postExample;

export const createdPostExample = {
  data: { ...postExample, media: [] },
  body: { title, body, platforms, description, instructions, collection_id, folder_id, status: 'draft' },
};

export const updatedPostExample = {
  data: postExample,
  body: { program_id: programId, title, description, collection_id },
};

const emptyExample: ResourceView = {
  ...postExample,
  body: null,
  platforms: [],
  media: [],
  description: null,
  instructions: null,
};

export const createdCollectionExample = {
  data: { ...emptyExample, id: '0198f1c2-b5a0-7e07-8c11-94d3b6f10a27', kind: 'collection', title: 'Launch', description },
  body: { title: 'Launch', description },
} satisfies { data: ResourceView; body: unknown };

export const createdSwipeCopyExample = {
  data: { ...emptyExample, kind: 'swipe_copy', title: 'Newsletter', body: 'Try {{program_name}}: {{affiliate_link}}' },
  body: { title: 'Newsletter', body: 'Try {{program_name}}: {{affiliate_link}}' },
} satisfies { data: ResourceView; body: unknown };

export const createdExternalLinkExample = {
  data: { ...emptyExample, kind: 'external_link', title: 'Press kit', url: 'https://acme.example/press' },
  body: { title: 'Press kit', url: 'https://acme.example/press' },
} satisfies { data: ResourceView; body: unknown };

const uploadToken = 'MDE5OGYxYzItYjRlMC03YzQxLThkOTMtMWE1YmU3ZjIwYzY2.5d1f0c6e4b7a92830f1e2d3c4b5a6978';
const uploadPath = `${programId}/0198f1c2-b4e0-7c41-8d93-1a5be7f20c66`;

export const uploadSessionExample = {
  bucket: 'marketing-resources',
  upload_path: uploadPath,
  upload_token: uploadToken,
  signed_url: `https://referrals.acme.example/files/uploads/${uploadToken}`,
  expires_in_seconds: 3600,
};

export const createdFileUploadExample = {
  data: uploadSessionExample,
  body: { file_name: 'guide.pdf', mime_type: 'application/pdf' as const, file_size_bytes: 48213 },
};

export const createdMediaUploadExample = {
  data: uploadSessionExample,
  body: { program_id: programId, file_name: 'launch.png', mime_type: 'image/png' as const, file_size_bytes: 48213 },
};

const fileExample: MediaView = { ...mediaExample, file_name: 'guide.pdf', mime_type: 'application/pdf', alt_text: null };

export const createdFileExample = {
  data: { ...emptyExample, kind: 'file', title: 'Brand guide', media: [fileExample] },
  body: { upload_path: uploadPath, upload_token: uploadToken, file_name: 'guide.pdf', title: 'Brand guide' },
} satisfies { data: ResourceView; body: unknown };

export const updatedResourceExample = {
  data: createdSwipeCopyExample.data,
  body: { program_id: programId, title: 'Newsletter', collection_id: null },
};

export const completedMediaExample = {
  data: postExample,
  body: {
    program_id: programId,
    upload_path: uploadPath,
    upload_token: uploadToken,
    file_name: 'launch.png',
    alt_text: 'The new dashboard',
    sort_order: 0,
  },
};

export const updatedMediaExample = { data: postExample, body: { program_id: programId, alt_text: 'The new dashboard' } };
export const reorderedMediaExample = { data: [mediaExample], body: { program_id: programId, media_ids: [mediaExample.id] } };
export const programBodyExample = { program_id: programId };
export const removedMediaExample = { data: { removed: true as const, media_id: mediaExample.id }, body: programBodyExample };

export const publishedExample = {
  data: {
    resource: publishedPostExample,
    notification: { requested: true, accepted: true, error_code: null, message: null },
  },
  body: { program_id: programId, notify_affiliates: true },
};

export const notifiedExample = {
  data: { requested: true, accepted: true, error_code: null, message: null },
  body: programBodyExample,
};

export const downloadExample = {
  data: {
    url: 'https://referrals.acme.example/files/downloads/WyJtZWRpYSJd.0c6e4b7a92835d1f0f1e2d3c4b5a6978',
    expires_at: '2026-01-17T10:10:00.000Z',
    target: { type: 'media' as const, id: mediaExample.id, file_name: 'launch.png' },
  },
  body: { program_id: programId, media_id: mediaExample.id },
};

export const renderedExample = {
  data: { body: 'I plan my week with Acme Partners: https://acme.example/?via=ada', disclosure: '#ad' },
  body: { program_id: programId },
};
