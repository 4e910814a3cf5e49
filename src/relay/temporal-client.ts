import { Client, Connection, type ConnectionOptions } from '@temporalio/client';

export interface TemporalSettings {
  address: string;
  namespace: string;
  apiKey?: string | undefined;
  tls: boolean;
}

/** No call outlasts this: a slow Temporal must not hold what else the process does. */
export const CALL_DEADLINE_MS = 2_000;

export interface TemporalClient {
  client: Client;
  close(): Promise<void>;
}

/** Connects lazily, so that a process starts and works while Temporal is away. */
export const openTemporal = (settings: TemporalSettings): TemporalClient => {
  const options: ConnectionOptions = { address: settings.address, connectTimeout: CALL_DEADLINE_MS };
  if (settings.tls || settings.apiKey) options.tls = true;
  if (settings.apiKey) options.apiKey = settings.apiKey;
  const connection = Connection.lazy(options);
  return {
    client: new Client({ connection, namespace: settings.namespace }),
    close: () => connection.close(),
  };
};

/** Runs one call under the deadline. */
export const withDeadline = async <T>(client: Client, call: () => Promise<T>): Promise<T> => {
  let timer: NodeJS.Timeout | undefined;
  // The client's own pauses between its tries know no deadline and would end up to two seconds behind it.
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error('Temporal did not answer in time')), CALL_DEADLINE_MS);
  });
  try {
    return await Promise.race([client.connection.withDeadline(Date.now() + CALL_DEADLINE_MS, call), late]);
  } finally {
    clearTimeout(timer);
  }
};
