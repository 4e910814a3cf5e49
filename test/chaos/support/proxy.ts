import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/** A way to a server that can be closed and made slow. */
export interface Proxy {
  /** `host:port`, the same all the time. */
  address: string;
  /** Nobody listens, and whoever is connected is thrown out. */
  close(): Promise<void>;
  open(): Promise<void>;
  /** Holds back everything for so long, in both directions. */
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
      else setTimeout(() => to.write(chunk), delayMs);
    });
    from.on('error', () => to.destroy());
    from.on('close', () => {
      sockets.delete(from);
      to.destroy();
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
