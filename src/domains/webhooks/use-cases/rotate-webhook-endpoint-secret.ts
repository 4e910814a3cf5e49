import { after, DAY_MS } from '../../../platform/clock.ts';
import { type Context, inTransaction } from '../../../platform/context.ts';
import type { WebhookEndpoint } from '../webhook-endpoint.entity.ts';
import { WebhookSecret } from '../webhook-secret.entity.ts';
import { issueSecret } from './issue-secret.ts';
import { lockWebhookEndpoint } from './lock-webhook-endpoint.ts';

/** How long a replaced secret still signs beside the new one. */
export const OVERLAP_MS = DAY_MS;
/** Secrets that sign at one time, the current one included. */
export const MAX_LIVE_SECRETS = 3;

/**
 * Issues a new secret; the status stays as it is. Old secrets sign for one more day, the newest two of them at most;
 * all others are destroyed. Each call issues another one.
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
    const kept = new Set(live.slice(0, MAX_LIVE_SECRETS - 1));
    for (const secret of old) {
      if (kept.has(secret)) secret.expire(after(now, OVERLAP_MS));
      else ctx.em.remove(secret);
    }
    const signingSecret = issueSecret(ctx, endpoint, now);
    await ctx.em.flush();
    return { endpoint, signingSecret };
  });
