import { signWebhook } from '../../platform/crypto/standard-webhooks.ts';

/**
 * Headers of one attempt. The id is the event's and stays the same over all attempts; the time is the attempt's. Each
 * value goes out under two families of names: receivers read one or the other. The current secret comes first.
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
