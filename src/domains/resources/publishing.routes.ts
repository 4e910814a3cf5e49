import { operation } from '../../platform/http/operation.ts';
import { idParams } from '../../platform/http/schemas.ts';
import { notificationSchema, programBody, publishBody, publishedSchema } from './resource-bodies.wire.ts';
import { toNotification, toPublication, toPublished } from './resource-inputs.wire.ts';
import { notifiedExample, postExample, programBodyExample, publishedExample } from './resources.examples.ts';
import { resourceSchema } from './resources.wire.ts';
import { archiveResource, notifyAffiliates, publishResource, unpublishResource } from './use-cases/publishing.ts';

const write = {
  tag: 'Marketing Resources',
  access: { keys: ['merchant'], scope: 'marketing_resources:write' },
} as const;

export const publishingRoutes = [
  operation({
    ...write,
    id: 'publishResource',
    method: 'POST',
    path: '/marketing-resources/{id}/publish',
    summary: 'Publish a marketing resource',
    description:
      'Shows the resource to the approved affiliates of its program. With `notify_affiliates`, they get an email. A notification that is refused, for example because the weekly limit of your tier is reached, does not stop the publication.',
    params: idParams,
    body: publishBody,
    reply: publishedSchema,
    example: publishedExample,
    handle: async ({ ctx, params, body }) => toPublished(await publishResource(ctx, toPublication(params.id, body))),
  }),
  operation({
    ...write,
    id: 'unpublishResource',
    method: 'POST',
    path: '/marketing-resources/{id}/unpublish',
    summary: 'Unpublish a marketing resource',
    description: 'Makes it a draft, which affiliates do not see. Also brings an archived resource back.',
    params: idParams,
    body: programBody,
    reply: resourceSchema,
    example: { data: postExample, body: programBodyExample },
    handle: ({ ctx, params, body }) => unpublishResource(ctx, { id: params.id, programId: body.program_id }),
  }),
  operation({
    ...write,
    id: 'archiveResource',
    method: 'POST',
    path: '/marketing-resources/{id}/archive',
    summary: 'Archive a marketing resource',
    description: 'Affiliates do not see it, and lists show it with `status=archived` only. Publish or unpublish brings it back.',
    params: idParams,
    body: programBody,
    reply: resourceSchema,
    example: { data: { ...postExample, status: 'archived' }, body: programBodyExample },
    handle: ({ ctx, params, body }) => archiveResource(ctx, { id: params.id, programId: body.program_id }),
  }),
  operation({
    ...write,
    id: 'notifyAffiliates',
    method: 'POST',
    path: '/marketing-resources/{id}/notify',
    summary: 'Notify affiliates of a marketing resource',
    description:
      'Sends an email to the approved affiliates of the program. In any seven days: none in the tier `free`, 2 in `starter`, 5 in `growth`, 10 in `pro`, for all programs together.',
    params: idParams,
    body: programBody,
    reply: notificationSchema,
    reasons: ['NOTIFICATION_LIMIT_REACHED', 'NOT_PUBLISHED', 'PROGRAM_INACTIVE'],
    example: notifiedExample,
    handle: async ({ ctx, params, body }) =>
      toNotification(await notifyAffiliates(ctx, { id: params.id, programId: body.program_id })),
  }),
];
