import type { Context } from '../../platform/context.ts';
import { generateSigningSecret } from '../../platform/crypto/standard-webhooks.ts';
import type { WebhookEndpoint } from './webhook-endpoint.entity.ts';
import { secretCipherContext, WebhookSecret } from './webhook-secret.entity.ts';

/** Gives the endpoint a new current secret and returns its text, which is stored encrypted and never shown again. */
export const issueSecret = (ctx: Context, endpoint: WebhookEndpoint, at: Date): string => {
  const text = generateSigningSecret();
  const id = ctx.ids.next();
  ctx.em.create(WebhookSecret, {
    id,
    endpointId: endpoint.id,
    ciphertext: ctx.cipher.encrypt(text, secretCipherContext(id)),
    createdAt: at,
  });
  endpoint.setSecret(text, at);
  return text;
};
