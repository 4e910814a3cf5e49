import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { RawNotice } from './conformance.ts';

export interface NoticeReceiver {
  url: string;
  /** Oldest first. */
  received: RawNotice[];
  close(): Promise<void>;
}

/** Takes everything that a provider sends, byte by byte. */
export const startNoticeReceiver = async (): Promise<NoticeReceiver> => {
  const received: RawNotice[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    received.push({ headers: request.headers, rawBody: Buffer.concat(chunks) });
    response.writeHead(200).end();
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/notices`,
    received,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
};
