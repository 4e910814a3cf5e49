import {
  Client,
  Connection,
  type ConnectionOptions,
  defaultGrpcRetryOptions,
  makeGrpcRetryInterceptor,
} from '@temporalio/client';

export interface TemporalSettings {
  address: string;
  namespace: string;
  apiKey?: string | undefined;
  tls: boolean;
}

/** No call outlasts this: a slow Temporal must not hold what else the process does. */
export const CALL_DEADLINE_MS = 2_000;

/** Pauses between the client's own tries know no deadline: the default ones let a call end more than a second behind it. */
const RETRY_PAUSE_MS = 200;
const MAX_TRIES = 6;
const briefRetries = makeGrpcRetryInterceptor({
  ...defaultGrpcRetryOptions({ maxAttempts: MAX_TRIES }),
  delayFunction: () => RETRY_PAUSE_MS,
});

export interface TemporalClient {
  client: Client;
  connection: Connection;
  close(): Promise<void>;
}

/** Connects lazily, so that a process starts and works while Temporal is away. */
export const openTemporal = (settings: TemporalSettings): TemporalClient => {
  const options: ConnectionOptions = {
    address: settings.address,
    connectTimeout: CALL_DEADLINE_MS,
    interceptors: [briefRetries],
  };
  if (settings.tls || settings.apiKey) options.tls = true;
  if (settings.apiKey) options.apiKey = settings.apiKey;
  const connection = Connection.lazy(options);
  return {
    client: new Client({ connection, namespace: settings.namespace }),
    connection,
    close: () => connection.close(),
  };
};

/** Runs one call under the deadline. */
export const withDeadline = <T>(client: Client, call: () => Promise<T>): Promise<T> =>
  client.connection.withDeadline(Date.now() + CALL_DEADLINE_MS, call);
