import { z } from 'zod';
import { type Operation, operation } from '../../platform/http/operation.ts';
import { idParams } from '../../platform/http/schemas.ts';
import {
  createCollectionBody,
  createExternalLinkBody,
  createSocialPostBody,
  createSwipeCopyBody,
  listQuery,
  programBody,
  updateResourceBody,
  updateSocialPostBody,
} from './resource-bodies.wire.ts';
import { toNewResource, toResourceChanges } from './resource-inputs.wire.ts';
import {
  createdCollectionExample,
  createdExternalLinkExample,
  createdPostExample,
  createdSwipeCopyExample,
  postExample,
  programBodyExample,
  updatedPostExample,
  updatedResourceExample,
} from './resources.examples.ts';
import { getMarketingResource, listMarketingResources } from './resources.queries.ts';
import { resourceSchema } from './resources.wire.ts';
import { createCollection } from './use-cases/create-collection.ts';
import { createExternalLink } from './use-cases/create-external-link.ts';
import { createSocialPost } from './use-cases/create-social-post.ts';
import { createSwipeCopy } from './use-cases/create-swipe-copy.ts';
import { deleteMarketingResource } from './use-cases/delete-marketing-resource.ts';
import { updateMarketingResource } from './use-cases/update-marketing-resource.ts';
import { updateSocialPost } from './use-cases/update-social-post.ts';

const tag = 'Marketing Resources';
const read = { tag, access: { keys: ['merchant'], scope: 'marketing_resources:read' } } as const;
const write = { tag, access: { keys: ['merchant'], scope: 'marketing_resources:write' } } as const;

export const resourceRoutes: Operation[] = [
  operation({
    ...read,
    id: 'listMarketingResources',
    method: 'GET',
    path: '/programs/{id}/marketing-resources',
    summary: 'List marketing resources of a program',
    description:
      'Returns a plain array, newest first. Archived resources are listed with `status=archived` only. Page with `limit` and `offset`; the list ends with the first page that has fewer resources than `limit`.',
    params: idParams,
    query: listQuery,
    reply: z.array(resourceSchema),
    example: { data: [postExample] },
    handle: ({ ctx, params, query }) => listMarketingResources(ctx, { ...query, programId: params.id }),
  }),
  operation({
    ...read,
    id: 'getMarketingResource',
    method: 'GET',
    path: '/marketing-resources/{id}',
    summary: 'Retrieve a marketing resource',
    description: 'Returns a resource of any kind and status, with its files.',
    params: idParams,
    reply: resourceSchema,
    example: { data: postExample },
    handle: ({ ctx, params }) => getMarketingResource(ctx, params.id),
  }),
  operation({
    ...write,
    id: 'createSocialPost',
    method: 'POST',
    path: '/programs/{id}/marketing-resources/social-posts',
    summary: 'Create a social post',
    description:
      'The body may contain `{{affiliate_link}}`, `{{affiliate_code}}` and `{{program_name}}`, which are filled in for each affiliate. Add images and videos with upload sessions. At most 1,000 resources per program.',
    params: idParams,
    body: createSocialPostBody,
    reply: resourceSchema,
    status: 201,
    reasons: ['COLLECTION_FULL', 'TOO_MANY_RESOURCES'],
    example: createdPostExample,
    handle: ({ ctx, params, body }) => createSocialPost(ctx, toNewResource(params.id, body)),
  }),
  operation({
    ...write,
    id: 'createSwipeCopy',
    method: 'POST',
    path: '/programs/{id}/marketing-resources/swipe-copy',
    summary: 'Create swipe copy',
    description: 'Text that affiliates copy into emails and articles. It may contain the placeholders of social posts.',
    params: idParams,
    body: createSwipeCopyBody,
    reply: resourceSchema,
    status: 201,
    reasons: ['COLLECTION_FULL', 'TOO_MANY_RESOURCES'],
    example: createdSwipeCopyExample,
    handle: ({ ctx, params, body }) => createSwipeCopy(ctx, toNewResource(params.id, body)),
  }),
  operation({
    ...write,
    id: 'createExternalLink',
    method: 'POST',
    path: '/programs/{id}/marketing-resources/links',
    summary: 'Create an external link',
    description: 'A link to material at another place, such as a press kit. It is no tracking link.',
    params: idParams,
    body: createExternalLinkBody,
    reply: resourceSchema,
    status: 201,
    reasons: ['COLLECTION_FULL', 'TOO_MANY_RESOURCES'],
    example: createdExternalLinkExample,
    handle: ({ ctx, params, body }) => createExternalLink(ctx, toNewResource(params.id, body)),
  }),
  operation({
    ...write,
    id: 'createCollection',
    method: 'POST',
    path: '/programs/{id}/marketing-resources/collections',
    summary: 'Create a collection',
    description: 'A container of up to 100 resources, which name it as `collection_id`. The tier `free` has one per program.',
    params: idParams,
    body: createCollectionBody,
    reply: resourceSchema,
    status: 201,
    reasons: ['TOO_MANY_COLLECTIONS', 'TOO_MANY_RESOURCES'],
    example: createdCollectionExample,
    handle: ({ ctx, params, body }) => createCollection(ctx, toNewResource(params.id, body)),
  }),
  operation({
    ...write,
    id: 'updateSocialPost',
    method: 'PATCH',
    path: '/marketing-resources/social-posts/{id}',
    summary: 'Update a social post',
    description: 'Fields that are left out stay unchanged. A published post changes for affiliates at once.',
    params: idParams,
    body: updateSocialPostBody,
    reply: resourceSchema,
    reasons: ['COLLECTION_FULL'],
    example: updatedPostExample,
    handle: ({ ctx, params, body }) => updateSocialPost(ctx, { ...toResourceChanges(params.id, body), folderId: body.folder_id }),
  }),
  operation({
    ...write,
    id: 'updateMarketingResource',
    method: 'PATCH',
    path: '/marketing-resources/{id}',
    summary: 'Update a marketing resource',
    description: 'For resources of every kind. Fields that are left out stay unchanged; one that the kind does not have is 422.',
    params: idParams,
    body: updateResourceBody,
    reply: resourceSchema,
    reasons: ['COLLECTION_FULL'],
    example: updatedResourceExample,
    handle: ({ ctx, params, body }) => updateMarketingResource(ctx, toResourceChanges(params.id, body)),
  }),
  operation({
    ...write,
    id: 'deleteMarketingResource',
    method: 'DELETE',
    path: '/marketing-resources/{id}',
    summary: 'Delete a marketing resource',
    description: 'Its files are removed too, and their download URLs end. Resources of a deleted collection stay.',
    params: idParams,
    body: programBody,
    reply: resourceSchema,
    example: { data: postExample, body: programBodyExample },
    handle: ({ ctx, params, body }) => deleteMarketingResource(ctx, { id: params.id, programId: body.program_id }),
  }),
];
