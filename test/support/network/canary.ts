import { once } from 'node:events';
import { createServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { CERTIFICATES } from '../receiver/certificates.ts';
import { useForFile } from '../use-for-file.ts';

/** Stands for a public address: connections to it are allowed by the settings of a test. */
export const STAND_IN = '127.0.0.9';

export interface Canary {
  /** On every address of this machine. */
  port: number;
  /** Connections ever accepted at private addresses, which is any but the one that stands for a public one. */
  connections(): number;
  /** Requests answered at that one. */
  answered(): number;
  close(): Promise<void>;
}

/** Listens on all addresses of this machine as hooks.example.com, and counts what arrives. */
const startCanary = async (): Promise<Canary> => {
  let connections = 0;
  let answered = 0;
  const server = createServer(CERTIFICATES.good, (request, response) => {
    answered += 1;
    request.resume().on('end', () => response.end('ok'));
  });
  server.on('connection', (socket: Socket) => {
    if (socket.localAddress !== STAND_IN && socket.localAddress !== `::ffff:${STAND_IN}`) connections += 1;
  });
  server.listen(0, '::');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    connections: () => connections,
    answered: () => answered,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
};

/** One for all tests of this file. */
export const useCanary = (): Canary => useForFile(startCanary);
