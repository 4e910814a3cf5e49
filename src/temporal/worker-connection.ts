import { isDeepStrictEqual } from 'node:util';
import { NativeConnection, type Worker } from '@temporalio/worker';
import type { Logger } from '../platform/logger.ts';
import { REREAD_MS, readCredentials, type TemporalAccess, type TemporalCredentials } from './access.ts';

export interface WorkerConnection {
  current(): NativeConnection;
  /** Moves this worker too when the credentials change. */
  add(worker: Worker): void;
  /** To be called when no worker runs. */
  close(): Promise<void>;
}

/**
 * The connection of the workers. When a certificate, an authority or a key in a file changes, the workers move to a new connection;
 * while none can be made with the new files, they keep the old one.
 */
export const openWorkerConnection = async (access: TemporalAccess, log: Logger): Promise<WorkerConnection> => {
  const connect = (credentials: TemporalCredentials) => NativeConnection.connect({ address: access.address, ...credentials });
  const workers: Worker[] = [];
  let credentials = await readCredentials(access);
  let connection = await connect(credentials);

  const reread = async (): Promise<void> => {
    const next = await readCredentials(access);
    if (isDeepStrictEqual(next, credentials)) return;
    const former = connection;
    connection = await connect(next);
    credentials = next;
    for (const worker of workers) worker.connection = connection;
    log.info('temporal credentials changed: connected with the new ones');
    await former.close();
  };
  let rereading: Promise<void> = Promise.resolve();
  const timer = setInterval(() => {
    rereading = rereading
      .then(reread)
      .catch((err: unknown) => log.error({ err }, 'temporal credentials changed, but cannot be used: the former stay in use'));
  }, REREAD_MS);
  return {
    current: () => connection,
    add(worker) {
      worker.connection = connection;
      workers.push(worker);
    },
    async close() {
      clearInterval(timer);
      await rereading;
      await connection.close();
    },
  };
};
