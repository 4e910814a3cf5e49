import type { EventType } from '../../../contracts/events.ts';
import { DELIVERY_DAYS, MAX_REPLAYS_PER_DAY, MAX_RUNNING_REPLAYS } from '../../../contracts/limits.ts';
import type { ReplayedStatus } from '../../../contracts/webhooks.ts';
import { after, DAY_MS } from '../../../platform/clock.ts';
import { type Context, inTransaction } from '../../../platform/context.ts';
import { lockName } from '../../../platform/database/lock-name.ts';
import { conflict, type Issue, invalidBody } from '../../../platform/errors.ts';
import { FIRST_ID } from '../../../platform/ids.ts';
import { enqueue } from '../../../platform/outbox/outbox.ts';
import { lockOwned } from '../../../platform/ownership.ts';
import { countReplays } from '../deliveries/webhook-replays.queries.ts';
import { lockWebhookEndpoint } from '../endpoints/lock-webhook-endpoint.steps.ts';
import type { WebhookEndpoint } from '../webhook-endpoint.entity.ts';
import { WebhookReplay } from '../webhook-replay.entity.ts';

export interface ReplayWebhookEndpointInput {
  id: string;
  since: string;
  /** Default: now. */
  until?: string | undefined;
  /** Default: `missing` and `exhausted`. */
  status?: readonly ReplayedStatus[] | undefined;
  /** Default: those that the endpoint subscribes to, extended ones included. */
  types?: readonly EventType[] | undefined;
}

const DEFAULT_STATUSES: readonly ReplayedStatus[] = ['missing', 'exhausted'];

interface Range {
  since: Date;
  until: Date;
}

/** Begins with the oldest event that is kept, at the earliest. */
const rangeOf = (input: ReplayWebhookEndpointInput, now: Date): Range => ({
  since: new Date(Math.max(Date.parse(input.since), now.getTime() - DELIVERY_DAYS * DAY_MS)),
  until: input.until === undefined ? now : new Date(input.until),
});

const issuesOf = (
  { types = [] }: ReplayWebhookEndpointInput,
  { since, until }: Range,
  subscribed: readonly EventType[],
  now: Date,
): Issue[] => {
  const unknown = types.find((type) => !subscribed.includes(type));
  return [
    since >= now && { path: 'since', message: 'must be in the past' },
    until > now && { path: 'until', message: 'must not be in the future' },
    since < now && since >= until && { path: 'until', message: `must be after since and in the last ${DELIVERY_DAYS} days` },
    unknown !== undefined && { path: 'types', message: `must be event types that the endpoint subscribes to, unlike ${unknown}` },
  ].flatMap((issue) => (issue ? [{ ...issue, code: 'custom' }] : []));
};

/**
 * Starts the replay: its workflow queues the deliveries. An endpoint has one running replay at most.
 */
export const replayWebhookEndpoint = (ctx: Context, input: ReplayWebhookEndpointInput): Promise<WebhookReplay> =>
  inTransaction(ctx, async (ctx) => {
    const endpoint = await lockWebhookEndpoint(ctx, input.id);
    const now = ctx.clock.now();
    const range = rangeOf(input, now);
    const issues = issuesOf(input, range, endpoint.eventTypes(), now);
    if (issues.length > 0) throw invalidBody(issues);
    if (endpoint.status !== 'active') {
      throw conflict('ENDPOINT_DISABLED', 'The endpoint is disabled. Enable it before replaying events');
    }
    await assertMayStart(ctx, endpoint, now);
    const replay = ctx.em.create(WebhookReplay, {
      id: ctx.ids.next(),
      endpointId: endpoint.id,
      merchantId: endpoint.merchantId,
      ...range,
      types: [...new Set(input.types ?? endpoint.eventTypes())],
      statuses: [...new Set(input.status ?? DEFAULT_STATUSES)],
      lastEventId: FIRST_ID,
      createdAt: now,
      updatedAt: now,
    });
    await enqueueReplay(ctx, replay);
    return replay;
  });

/** The lock enforces the limits for concurrent requests. */
const assertMayStart = async (ctx: Context, endpoint: WebhookEndpoint, now: Date): Promise<void> => {
  await lockName(ctx, `replays:${endpoint.merchantId}`);
  const { running, started, runningId } = await countReplays(ctx, endpoint, after(now, -DAY_MS));
  if (runningId !== null) {
    throw conflict('REPLAY_IN_PROGRESS', 'Another replay of the endpoint is running. Wait for its end or cancel it', {
      replayId: runningId,
    });
  }
  if (running >= MAX_RUNNING_REPLAYS) {
    const message = `${MAX_RUNNING_REPLAYS} replays of the merchant are running. Wait for the end of one or cancel it`;
    throw conflict('TOO_MANY_REPLAYS', message, { limit: MAX_RUNNING_REPLAYS });
  }
  if (started >= MAX_REPLAYS_PER_DAY) {
    const message = `The merchant started ${MAX_REPLAYS_PER_DAY} replays in 24 hours, which is the maximum`;
    throw conflict('TOO_MANY_REPLAYS', message, { limit: MAX_REPLAYS_PER_DAY });
  }
};

const enqueueReplay = (ctx: Context, { id, merchantId, endpointId, since, until }: WebhookReplay): Promise<void> => {
  const payload = { replayId: id, merchantId, endpointId, since: since.toISOString(), until: until.toISOString() };
  return enqueue(ctx, { topic: 'webhook.replay', subjectId: id, suffix: '', payload });
};

/** No further delivery is queued; those that are queued are sent. Cancelling again changes nothing. */
export const cancelWebhookReplay = (ctx: Context, input: { id: string }): Promise<WebhookReplay> =>
  inTransaction(ctx, async (ctx) => {
    const replay = await lockOwned(ctx, 'Webhook replay', WebhookReplay, { id: input.id });
    if (replay.state === 'completed') {
      throw conflict('ILLEGAL_TRANSITION', 'A completed replay cannot be cancelled', { from: 'completed', to: 'cancelled' });
    }
    if (replay.state === 'running') replay.cancel('requested', ctx.clock.now());
    return replay;
  });
