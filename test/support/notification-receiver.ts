import { once } from 'node:events';
import type { IncomingHttpHeaders } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { signWebhook } from '../../src/platform/crypto/standard-webhooks.ts';

export interface ReceivedNotification {
  headers: IncomingHttpHeaders;
  rawBody: Buffer;
  body: { id: string; type: string; occurredAt: string; transfer: Record<string, unknown> };
}

export interface NotificationReceiver {
  url: string;
  /** In order of arrival, including rejected ones. */
  received: ReceivedNotification[];
  /** The status of later responses. */
  answerWith(status: number): void;
  close(): Promise<void>;
}

/** A server that keeps every notification unparsed. */
export const startNotificationReceiver = async (): Promise<NotificationReceiver> => {
  const received: ReceivedNotification[] = [];
  let status = 204;
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const rawBody = Buffer.concat(chunks);
    received.push({ headers: request.headers, rawBody, body: JSON.parse(rawBody.toString('utf8')) });
    response.writeHead(status).end();
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/notifications`,
    received,
    answerWith: (next) => {
      status = next;
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
};

/** A notification as the provider sends it, for tests that need it late, repeated or forged. */
export const signedNotification = (options: {
  secret: string;
  now: Date;
  id: string;
  type: string;
  idempotencyKey: string;
  transferId: string;
  occurredAt: Date;
  failureCode?: string | null;
  /** What the provider says that the transfer is. Default: nothing. */
  record?: { reference: string; amount: number; currency: string; fee?: number; feeReturned?: number } | null;
}) => {
  const timestampSeconds = Math.floor(options.now.getTime() / 1_000);
  const { id, type, idempotencyKey } = options;
  const transfer = { id: options.transferId, idempotencyKey, failureCode: options.failureCode ?? null, ...options.record };
  const body = JSON.stringify({ id, type, occurredAt: options.occurredAt.toISOString(), transfer });
  return {
    headers: {
      'content-type': 'application/json',
      'webhook-id': id,
      'webhook-timestamp': String(timestampSeconds),
      'webhook-signature': signWebhook({ id, timestampSeconds, body, secrets: [options.secret] }),
    },
    body,
  };
};
