import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { z } from 'zod';
import { verifyWebhook } from '../../platform/crypto/standard-webhooks.ts';
import { LocalStackError } from '../stack/local-stack-error.ts';

export interface ReceivedEvent {
  id: string;
  type: string;
  subjectId: string | null;
  receivedAt: Date;
}

export interface DemoReceiver {
  url: string;
  /** From then on, only events signed with this secret are accepted. */
  trust(secret: string): void;
  /** Resolves with the first verified event about this subject; throws when none arrives in time. */
  waitFor(type: string, subjectId: string, timeoutMs: number): Promise<ReceivedEvent>;
  close(): Promise<void>;
}

const MAX_BYTES = 1_048_576;
const MAX_EVENTS = 1_000;
const TOLERANCE_SECONDS = 300;

const envelope = z.object({ id: z.string(), type: z.string(), data: z.object({ id: z.string() }).catch({ id: '' }) });

/** A minimal webhook receiver: verifies the signature of each event and recognizes duplicates by their id. */
export const openDemoReceiver = async (port: number): Promise<DemoReceiver> => {
  const received = new Map<string, ReceivedEvent>();
  let secret: string | null = null;
  let rejected = 0;

  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    let size = 0;
    request.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size > MAX_BYTES) request.destroy();
      chunks.push(chunk);
    });
    request.on('end', () => response.writeHead(accept(request.headers, Buffer.concat(chunks)) ? 204 : 401).end());
  });

  const accept = (headers: Readonly<Record<string, string | string[] | undefined>>, body: Buffer): boolean => {
    try {
      if (secret === null) return false;
      verifyWebhook({ headers, body, secrets: [secret], nowSeconds: Date.now() / 1_000, toleranceSeconds: TOLERANCE_SECONDS });
      const event = envelope.parse(JSON.parse(body.toString('utf8')));
      if (!received.has(event.id))
        remember({ id: event.id, type: event.type, subjectId: event.data.id || null, receivedAt: new Date() });
      return true;
    } catch {
      rejected += 1;
      return false;
    }
  };

  const remember = (event: ReceivedEvent): void => {
    received.set(event.id, event);
    const [oldest] = received.keys();
    if (received.size > MAX_EVENTS && oldest !== undefined) received.delete(oldest);
  };

  const find = (type: string, subjectId: string): ReceivedEvent | undefined =>
    [...received.values()].find((event) => event.type === type && event.subjectId === subjectId);

  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/webhooks`,
    trust: (trusted) => {
      secret = trusted;
    },
    async waitFor(type, subjectId, timeoutMs) {
      for (const end = Date.now() + timeoutMs; ; await new Promise((resolve) => setTimeout(resolve, 25))) {
        const found = find(type, subjectId);
        if (found) return found;
        if (Date.now() > end) {
          const unsigned = rejected === 0 ? '' : ` (${rejected} requests had no valid signature)`;
          throw new LocalStackError(`The webhook ${type} did not arrive within ${timeoutMs / 1_000} s${unsigned}.`);
        }
      }
    },
    async close() {
      server.closeAllConnections();
      server.close();
    },
  };
};
