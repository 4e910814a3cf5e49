import { type Context, emitInternal, inTransaction } from '../../../platform/context.ts';
import { auditedOf, recordEndpointChange } from '../endpoint-changes.ts';
import { lockWebhookEndpoint } from '../lock-webhook-endpoint.ts';
import {
  changeRequestHeaders,
  decryptRequestHeaders,
  encryptRequestHeaders,
  type RequestHeaderChanges,
} from '../request-headers.ts';
import { deleteReplacedSecrets } from '../signing-secrets.ts';
import type { EndpointChanges, WebhookEndpoint } from '../webhook-endpoint.entity.ts';
import { assertOwnProgram } from '../webhook-endpoints.queries.ts';

export interface UpdateWebhookEndpointInput extends EndpointChanges {
  id: string;
  /** Of the new origin, in place of the stored ones. */
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
