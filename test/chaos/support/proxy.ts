import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { pause } from '../../support/until.ts';

/** A TCP proxy that can be closed and delayed. */
export interface Proxy {
  /** `host:port`; does not change. */
  address: string;
  /** Stops listening and ends all connections. */
  close(): Promise<void>;
  open(): Promise<void>;
  /** Delays all data, in both directions. */
  delay(ms: number): void;
}

export const openProxy = async (target: string): Promise<Proxy> => {
  const [host = '', targetPort = ''] = target.split(':');
  const sockets = new Set<Socket>();
  let delayMs = 0;
  let server: Server;

  const pass = (from: Socket, to: Socket): void => {
    from.on('data', (chunk) => {
      if (delayMs === 0) to.write(chunk);
      else void pause(delayMs, 'the line is slow').then(() => to.write(chunk));
    });
    from.on('error', () => to.destroy());
    from.on('close', () => {
      sockets.delete(from);
      if (delayMs === 0) to.destroy();
      else void pause(delayMs, 'what is still on its way comes first').then(() => to.destroy());
    });
    sockets.add(from);
  };
  const listen = async (port: number): Promise<number> => {
    server = createServer((client) => {
      const upstream = connect(Number(targetPort), host);
      pass(client, upstream);
      pass(upstream, client);
    });
    await once(server.listen(port, '127.0.0.1'), 'listening');
    return (server.address() as AddressInfo).port;
  };
  const port = await listen(0);
  return {
    address: `127.0.0.1:${port}`,
    async close() {
      const closed = once(server, 'close');
      server.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
    open: async () => void (await listen(port)),
    delay: (ms) => {
      delayMs = ms;
    },
  };
};
