import type { Context } from '../../../platform/context.ts';
import { signWebhook } from '../../../platform/crypto/standard-webhooks.ts';
import type { OutboundMessage } from '../../../platform/outbound/outbound.ts';
import { decryptRequestHeaders } from '../endpoints/request-headers.steps.ts';
import type { StoredSecret } from '../endpoints/signing-secrets.steps.ts';
import { secretCipherContext } from '../webhook-secret.entity.ts';

/**
 * Headers of one attempt. The id is the event's and the same in all attempts; the timestamp is the attempt's. Each value is
 * sent under `webhook-` and `svix-`, because receivers read one or the other. Pass the current secret first.
 */
export const deliveryHeaders = (message: {
  eventId: string;
  at: Date;
  body: Buffer;
  secrets: readonly string[];
}): Record<string, string> => {
  const timestampSeconds = Math.floor(message.at.getTime() / 1_000);
  const { eventId: id, body, secrets } = message;
  const signature = signWebhook({ id, timestampSeconds, body, secrets });
  return {
    'content-type': 'application/json',
    'webhook-id': id,
    'webhook-timestamp': String(timestampSeconds),
    'webhook-signature': signature,
    'svix-id': id,
    'svix-timestamp': String(timestampSeconds),
    'svix-signature': signature,
  };
};

/** What an attempt sends, signed now. */
export const signedMessage = (
  ctx: Context,
  { eventId, endpointId }: { eventId: string; endpointId: string },
  { url, body, headerCiphertext }: { url: string; body: Buffer; headerCiphertext: string | null },
  secrets: readonly StoredSecret[],
): OutboundMessage => {
  const texts = secrets.map(({ id, ciphertext }) => ctx.cipher.decrypt(ciphertext, secretCipherContext(id)));
  const headers = deliveryHeaders({ eventId, at: ctx.clock.now(), body, secrets: texts });
  return { url, headers, secretHeaders: decryptRequestHeaders(ctx, endpointId, headerCiphertext), body };
};
