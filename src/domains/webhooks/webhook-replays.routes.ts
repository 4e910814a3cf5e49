import { type Operation, operation } from '../../platform/http/operation.ts';
import { idParams } from '../../platform/http/schemas.ts';
import { cancelWebhookReplay } from './use-cases/cancel-webhook-replay.ts';
import { replayWebhookEndpoint } from './use-cases/replay-webhook-endpoint.ts';
import { getWebhookReplay } from './webhook-replays.queries.ts';
import { replayEndpointBody, replaySchema, toReplay } from './webhook-replays.wire.ts';
import { cancelledReplayExample, completedReplayExample, replayBodyExample, replayExample } from './webhooks.examples.ts';

const shared = { tag: 'Webhooks', params: idParams, reply: replaySchema } as const;
const writes = { ...shared, access: { keys: ['merchant'], scope: 'webhooks:write' } } as const;

export const webhookReplayRoutes: Operation[] = [
  operation({
    id: 'replayWebhookEndpoint',
    method: 'POST',
    path: '/webhooks/{id}/replay',
    ...writes,
    summary: 'Send events of the past to an endpoint again',
    body: replayEndpointBody,
    status: 201,
    reasons: ['ENDPOINT_DISABLED', 'REPLAY_IN_PROGRESS', 'TOO_MANY_REPLAYS'],
    example: { data: replayExample, body: replayBodyExample },
    handle: async ({ ctx, params, body }) => toReplay(await replayWebhookEndpoint(ctx, { ...body, id: params.id })),
  }),
  operation({
    id: 'getWebhookReplay',
    method: 'GET',
    path: '/webhook-replays/{id}',
    ...shared,
    access: { keys: ['merchant'], scope: 'webhooks:read' },
    summary: 'Retrieve a replay and its progress',
    example: { data: completedReplayExample },
    handle: ({ ctx, params }) => getWebhookReplay(ctx, params.id),
  }),
  operation({
    id: 'cancelWebhookReplay',
    method: 'POST',
    path: '/webhook-replays/{id}/cancel',
    ...writes,
    summary: 'Cancel a running replay',
    reasons: ['ILLEGAL_TRANSITION'],
    example: { data: cancelledReplayExample },
    handle: async ({ ctx, params }) => toReplay(await cancelWebhookReplay(ctx, params)),
  }),
];
