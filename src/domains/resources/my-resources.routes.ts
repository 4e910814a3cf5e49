import { z } from 'zod';
import { operation } from '../../platform/http/operation.ts';
import { idParams } from '../../platform/http/schemas.ts';
import { downloadBody, downloadSchema, ownListQuery, programQuery, renderBody, renderedSchema } from './resource-bodies.wire.ts';
import { toDownload, toDownloadRequest } from './resource-inputs.wire.ts';
import { downloadExample, publishedPostExample, renderedExample } from './resources.examples.ts';
import { getMyMarketingResource, listMyMarketingResources } from './resources.queries.ts';
import { resourceSchema } from './resources.wire.ts';
import { createMyDownloadUrl } from './use-cases/download-url.ts';
import { renderSocialPost } from './use-cases/render-social-post.ts';

const read = {
  tag: 'Marketing Resources',
  access: { keys: ['affiliate'], scope: 'marketing_resources:read' },
} as const;

export const myResourceRoutes = [
  operation({
    ...read,
    id: 'listMyMarketingResources',
    method: 'GET',
    path: '/me/programs/{id}/marketing-resources',
    summary: 'List marketing resources of your program',
    description:
      'Returns what the merchant has published, newest first, as a plain array. Page with `limit` and `offset`; the list ends with the first page that has fewer resources than `limit`.',
    params: idParams,
    query: ownListQuery,
    reply: z.array(resourceSchema),
    example: { data: [publishedPostExample] },
    handle: ({ ctx, params, query }) => listMyMarketingResources(ctx, { ...query, programId: params.id }),
  }),
  operation({
    ...read,
    id: 'getMyMarketingResource',
    method: 'GET',
    path: '/me/marketing-resources/{id}',
    summary: 'Retrieve a marketing resource of your program',
    description: 'Returns a published resource, with its placeholders as the merchant wrote them.',
    params: idParams,
    query: programQuery,
    reply: resourceSchema,
    example: { data: publishedPostExample },
    handle: ({ ctx, params, query }) => getMyMarketingResource(ctx, { id: params.id, programId: query.program_id }),
  }),
  operation({
    ...read,
    secret: true,
    id: 'createMyDownloadUrl',
    method: 'POST',
    path: '/me/marketing-resources/download-url',
    summary: 'Create a download URL for your program',
    description:
      'For one file, the media of a post, or the files of a collection; several files are one zip. Whoever has the URL can use it for 10 minutes.',
    body: downloadBody,
    reply: downloadSchema,
    errors: ['NOT_FOUND'],
    reasons: ['NOTHING_TO_DOWNLOAD'],
    example: downloadExample,
    handle: async ({ ctx, body }) => toDownload(await createMyDownloadUrl(ctx, toDownloadRequest(body))),
  }),
  operation({
    ...read,
    id: 'renderSocialPost',
    method: 'POST',
    path: '/me/marketing-resources/social-posts/{id}/render',
    summary: 'Render a social post',
    description:
      'Fills in your link, your code and the name of the program. Also for swipe copy. Add `disclosure` where the platform requires advertisements to be marked.',
    params: idParams,
    body: renderBody,
    reply: renderedSchema,
    example: renderedExample,
    handle: ({ ctx, params, body }) =>
      renderSocialPost(ctx, { id: params.id, programId: body.program_id, linkId: body.affiliate_link_id ?? undefined }),
  }),
];
