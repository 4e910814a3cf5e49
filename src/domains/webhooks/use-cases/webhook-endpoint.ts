import type { PublishedEventType } from '../../../contracts/events.ts';
import { MAX_ENDPOINTS_PER_MERCHANT } from '../../../contracts/limits.ts';
import { type Context, emitInternal, inTransaction, merchantOf } from '../../../platform/context.ts';
import { lockName } from '../../../platform/database/lock-name.ts';
import { execute } from '../../../platform/database/sql.ts';
import { conflict } from '../../../platform/errors.ts';
import { db } from '../../tables.ts';
import { auditedOf, recordEndpointChange } from '../endpoints/endpoint-changes.steps.ts';
import { lockWebhookEndpoint } from '../endpoints/lock-webhook-endpoint.steps.ts';
import {
  changeRequestHeaders,
  decryptRequestHeaders,
  encryptRequestHeaders,
  type RequestHeaderChanges,
} from '../endpoints/request-headers.steps.ts';
import { deleteReplacedSecrets, issueSecret } from '../endpoints/signing-secrets.steps.ts';
import { assertOwnProgram, countEndpoints } from '../endpoints/webhook-endpoints.queries.ts';
import { type EndpointChanges, WebhookEndpoint } from '../webhook-endpoint.entity.ts';

export interface CreateWebhookEndpointInput {
  name: string;
  url: string;
  subscribedEvents: readonly PublishedEventType[];
  programId?: string | null | undefined;
}

/** Creates an active endpoint with its first secret. The lock enforces the limit for concurrent requests. */
export const createWebhookEndpoint = (
  ctx: Context,
  input: CreateWebhookEndpointInput,
): Promise<{ endpoint: WebhookEndpoint; signingSecret: string }> =>
  inTransaction(ctx, async (ctx) => {
    const merchantId = merchantOf(ctx);
    if (input.programId) await assertOwnProgram(ctx, input.programId);
    await lockName(ctx, `endpoints:${merchantId}`);
    if ((await countEndpoints(ctx, merchantId)) >= MAX_ENDPOINTS_PER_MERCHANT) {
      throw conflict(
        'TOO_MANY_ENDPOINTS',
        'The merchant has the maximum number of endpoints. Delete one before creating another',
        {
          limit: MAX_ENDPOINTS_PER_MERCHANT,
        },
      );
    }
    const now = ctx.clock.now();
    const endpoint = ctx.em.create(WebhookEndpoint, {
      id: ctx.ids.next(),
      merchantId,
      programId: input.programId ?? null,
      name: input.name,
      url: input.url,
      subscribedEvents: [...new Set(input.subscribedEvents)],
      createdAt: now,
      updatedAt: now,
    });
    const signingSecret = issueSecret(ctx, endpoint, now);
    await recordEndpointChange(ctx, endpoint, { action: 'webhook_endpoint.created' });
    await emitInternal(ctx, { type: 'webhook_endpoint.created', endpointId: endpoint.id, merchantId, createdAt: now });
    return { endpoint, signingSecret };
  });

export interface UpdateWebhookEndpointInput extends EndpointChanges {
  id: string;
  /** Headers for the new origin, replacing the stored ones. */
  headers?: RequestHeaderChanges | undefined;
}

/** Applies from the next attempt on. Deliveries that exist already are kept. */
export const updateWebhookEndpoint = (
  ctx: Context,
  { id, headers, ...changes }: UpdateWebhookEndpointInput,
): Promise<WebhookEndpoint> =>
  inTransaction(ctx, async (ctx) => {
    const endpoint = await lockWebhookEndpoint(ctx, id);
    if (changes.programId) await assertOwnProgram(ctx, changes.programId);
    const [oldOrigin, newOrigin] = [endpoint.url, changes.url ?? endpoint.url].map((url) => new URL(url).origin) as [
      string,
      string,
    ];
    const now = ctx.clock.now();
    const [before, url] = [auditedOf(endpoint), endpoint.url];
    endpoint.change(changes, now);
    const isMoved = newOrigin !== oldOrigin;
    const removedHeaders = await changeHeaders(ctx, endpoint, { headers, isMoved });
    const hidden = [...(url === endpoint.url ? [] : ['url']), ...(headers || removedHeaders.length > 0 ? ['headers'] : [])];
    await recordEndpointChange(ctx, endpoint, { action: 'webhook_endpoint.updated', before, hidden });
    if (!isMoved) return endpoint;
    const { merchantId } = endpoint;
    const moved = { endpointId: id, merchantId, oldOrigin, newOrigin, removedHeaders, changeId: ctx.ids.next() };
    await emitInternal(ctx, { type: 'webhook_endpoint.origin_changed', ...moved });
    return endpoint;
  });

/**
 * Stored headers are never sent to another origin: they are the secrets of the receiver, and nobody can read them. Who names all of them
 * anew knows them; then replaced secrets go on signing, too. Returns the names of the removed ones.
 */
const changeHeaders = async (
  ctx: Context,
  endpoint: WebhookEndpoint,
  { headers, isMoved }: { headers: RequestHeaderChanges | undefined; isMoved: boolean },
): Promise<string[]> => {
  const stored = decryptRequestHeaders(ctx, endpoint.id, endpoint.headerCiphertext ?? null);
  const changed = changeRequestHeaders(isMoved ? {} : stored, headers ?? {});
  const removed = isMoved ? Object.keys(stored).filter((name) => !(name in changed)) : [];
  if (isMoved || headers) {
    const headerCiphertext = encryptRequestHeaders(ctx, endpoint.id, changed);
    endpoint.changeSettings({ headerCiphertext }, ctx.clock.now());
  }
  const isKnown = Object.keys(stored).length > 0 && removed.length === 0;
  if (isMoved && !isKnown) await deleteReplacedSecrets(ctx, endpoint.id);
  return removed;
};

/** Stops sending: pending deliveries are parked by their next attempt. Disabling again changes nothing. */
export const disableWebhookEndpoint = (ctx: Context, input: { id: string }): Promise<WebhookEndpoint> =>
  inTransaction(ctx, async (ctx) => {
    const endpoint = await lockWebhookEndpoint(ctx, input.id);
    const before = auditedOf(endpoint);
    if (endpoint.disable('merchant', ctx.clock.now())) {
      await recordEndpointChange(ctx, endpoint, { action: 'webhook_endpoint.updated', before });
    }
    return endpoint;
  });

/**
 * Its lane resumes parked deliveries in batches, see `unparkDeliveries`. Enabling an active endpoint changes nothing.
 */
export const enableWebhookEndpoint = (ctx: Context, input: { id: string }): Promise<WebhookEndpoint> =>
  inTransaction(ctx, async (ctx) => {
    const endpoint = await lockWebhookEndpoint(ctx, input.id);
    const before = auditedOf(endpoint);
    if (endpoint.enable(ctx.clock.now())) {
      await recordEndpointChange(ctx, endpoint, { action: 'webhook_endpoint.updated', before });
    }
    return endpoint;
  });

/**
 * Keeps the delivery history and deletes the secrets. From now on nothing is sent. What waits is cancelled afterwards, whatever
 * its number: by the lane in batches (see `closeWaitingDeliveries` and `unparkDeliveries`), or by its next attempt.
 */
export const deleteWebhookEndpoint = (ctx: Context, input: { id: string }): Promise<void> =>
  inTransaction(ctx, async (ctx) => {
    const endpoint = await lockWebhookEndpoint(ctx, input.id);
    await recordEndpointChange(ctx, endpoint, { action: 'webhook_endpoint.deleted', before: auditedOf(endpoint), after: {} });
    endpoint.delete(ctx.clock.now());
    await execute(ctx.em, db.deleteFrom('webhook_secret').where('endpointId', '=', endpoint.id));
  });
