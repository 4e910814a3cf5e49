import { type Context, inTransaction } from '../../../platform/context.ts';
import { auditedOf, recordEndpointChange } from '../endpoints/endpoint-changes.steps.ts';
import { lockWebhookEndpoint } from '../endpoints/lock-webhook-endpoint.steps.ts';
import {
  changeRequestHeaders,
  decryptRequestHeaders,
  encryptRequestHeaders,
  type RequestHeaderChanges,
  type RequestHeaders,
} from '../endpoints/request-headers.steps.ts';
import type { EndpointSettingChanges, WebhookEndpoint } from '../webhook-endpoint.entity.ts';

export interface UpdateWebhookEndpointSettingsInput extends Omit<EndpointSettingChanges, 'headerCiphertext'> {
  id: string;
  /** Headers that are left out stay; null removes all. */
  headers?: RequestHeaderChanges | null | undefined;
}

/** Applies from the next attempt on; a changed overlap from the next rotation on. */
export const updateWebhookEndpointSettings = (
  ctx: Context,
  { id, headers: changes, ...settings }: UpdateWebhookEndpointSettingsInput,
): Promise<{ endpoint: WebhookEndpoint; headers: RequestHeaders }> =>
  inTransaction(ctx, async (ctx) => {
    const endpoint = await lockWebhookEndpoint(ctx, id);
    const stored = changes === null ? {} : decryptRequestHeaders(ctx, id, endpoint.headerCiphertext ?? null);
    const headers = changeRequestHeaders(stored, changes ?? {});
    const headerCiphertext = changes === undefined ? undefined : encryptRequestHeaders(ctx, id, headers);
    const before = auditedOf(endpoint);
    endpoint.changeSettings({ ...settings, headerCiphertext }, ctx.clock.now());
    const hidden = changes === undefined ? [] : ['headers'];
    await recordEndpointChange(ctx, endpoint, { action: 'webhook_endpoint.updated', before, hidden });
    return { endpoint, headers };
  });
