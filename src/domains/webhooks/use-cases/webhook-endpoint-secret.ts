import { after, HOUR_MS } from '../../../platform/clock.ts';
import { type Context, inTransaction } from '../../../platform/context.ts';
import { auditedOf, recordEndpointChange } from '../endpoints/endpoint-changes.steps.ts';
import { lockWebhookEndpoint } from '../endpoints/lock-webhook-endpoint.steps.ts';
import { deleteReplacedSecrets, issueSecret } from '../endpoints/signing-secrets.steps.ts';
import type { WebhookEndpoint } from '../webhook-endpoint.entity.ts';
import { WebhookSecret } from '../webhook-secret.entity.ts';

/** Secrets that sign at the same time, including the current one. */
const MAX_LIVE_SECRETS = 3;

/**
 * Issues a new secret; the status does not change. The two newest old secrets keep signing for the overlap of the endpoint,
 * all others are deleted. Each call issues another secret.
 */
export const rotateWebhookEndpointSecret = (
  ctx: Context,
  input: { id: string },
): Promise<{ endpoint: WebhookEndpoint; signingSecret: string }> =>
  inTransaction(ctx, async (ctx) => {
    const endpoint = await lockWebhookEndpoint(ctx, input.id);
    const now = ctx.clock.now();
    const old = await ctx.em.find(
      WebhookSecret,
      { endpointId: endpoint.id },
      { orderBy: { createdAt: 'desc', id: 'desc' }, refresh: true },
    );
    const live = old.filter((secret) => secret.isLive(now));
    const { rotationOverlapHours } = endpoint;
    const kept = new Set(rotationOverlapHours === 0 ? [] : live.slice(0, MAX_LIVE_SECRETS - 1));
    for (const secret of old) {
      if (kept.has(secret)) secret.expire(after(now, rotationOverlapHours * HOUR_MS));
      else ctx.em.remove(secret);
    }
    const before = auditedOf(endpoint);
    const signingSecret = issueSecret(ctx, endpoint, now);
    await recordEndpointChange(ctx, endpoint, { action: 'webhook_endpoint.secret_rotated', before });
    return { endpoint, signingSecret };
  });

/**
 * Deletes all secrets but the current one: the next attempt is signed with that one only. A second call changes nothing. The
 * lock orders it with rotations.
 */
export const revokeOldWebhookEndpointSecrets = (ctx: Context, input: { id: string }): Promise<WebhookEndpoint> =>
  inTransaction(ctx, async (ctx) => {
    const endpoint = await lockWebhookEndpoint(ctx, input.id);
    if ((await deleteReplacedSecrets(ctx, endpoint.id)) > 0) {
      await recordEndpointChange(ctx, endpoint, { action: 'webhook_endpoint.old_secrets_revoked', after: {} });
    }
    return endpoint;
  });
