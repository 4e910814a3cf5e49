import type { Context } from '../../../platform/context.ts';
import { drawSigningSecret } from '../../../platform/crypto/standard-webhooks.ts';
import type { WebhookEndpoint } from '../webhook-endpoint.entity.ts';
import { placeOfSecret, WebhookSecret } from '../webhook-secret.entity.ts';

/** Gives the endpoint a new current secret and returns its text, which is stored sealed and never shown again. */
export const issueSecret = (ctx: Context, endpoint: WebhookEndpoint, at: Date): string => {
  const text = drawSigningSecret();
  const id = ctx.ids.next();
  ctx.em.create(WebhookSecret, {
    id,
    endpointId: endpoint.id,
    sealed: ctx.vault.seal(text, placeOfSecret(id)),
    createdAt: at,
    expiresAt: null,
  });
  endpoint.showSecretOf(text, at);
  return text;
};
