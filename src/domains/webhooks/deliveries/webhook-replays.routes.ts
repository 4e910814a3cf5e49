import { operation } from '../../../platform/http/operation.ts';
import { idParams } from '../../../platform/http/schemas.ts';
import { cancelWebhookReplay, replayWebhookEndpoint } from '../use-cases/webhook-replay.ts';
import { cancelledReplayExample, completedReplayExample, replayBodyExample, replayExample } from '../webhooks.examples.ts';
import { getWebhookReplay } from './webhook-replays.queries.ts';
import { replayEndpointBody, replaySchema, toReplay } from './webhook-replays.wire.ts';

const shared = { tag: 'Webhooks', params: idParams, reply: replaySchema } as const;
const writes = { ...shared, access: { keys: ['merchant'], scope: 'webhooks:write' } } as const;

export const webhookReplayRoutes = [
  operation({
    id: 'replayWebhookEndpoint',
    method: 'POST',
    path: '/webhooks/{id}/replay',
    ...writes,
    summary: 'Send events of the past to an endpoint again',
    description:
      'Queues deliveries of events between `since` and `until`, in the background and after all others: of events that the endpoint never got, and those that were given up. They are sent under the same `webhook-id`, with a new schedule. Pending and parked deliveries are not touched. Start with a time before the receiver began to fail: for a disabled endpoint, take two days before `failingSince` in `GET /webhooks/{id}/health`, or two days before `disabledAt` if `failingSince` is null. Note it before you enable the endpoint, because enabling clears both. An earlier start sends nothing twice, because events that the endpoint accepted are skipped by default, but it also sends events from before the endpoint was created or subscribed to them. One replay of an endpoint runs at a time. At most 5 replays of your account run at a time, and at most 100 start in 24 hours: more are 409 `TOO_MANY_REPLAYS`.',
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
    description: 'Returns how many events the replay has examined and how many deliveries it has queued so far.',
    example: { data: completedReplayExample },
    handle: ({ ctx, params }) => getWebhookReplay(ctx, params.id),
  }),
  operation({
    id: 'cancelWebhookReplay',
    method: 'POST',
    path: '/webhook-replays/{id}/cancel',
    ...writes,
    summary: 'Cancel a running replay',
    description: 'No further delivery is queued; those that are queued are sent. Cancelling a cancelled replay changes nothing.',
    reasons: ['ILLEGAL_TRANSITION'],
    example: { data: cancelledReplayExample },
    handle: async ({ ctx, params }) => toReplay(await cancelWebhookReplay(ctx, params)),
  }),
];
