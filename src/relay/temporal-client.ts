import {
  Client,
  Connection,
  type ConnectionOptions,
  defaultGrpcRetryOptions,
  makeGrpcRetryInterceptor,
  type WorkflowClientInterceptor,
} from '@temporalio/client';

export interface TemporalSettings {
  address: string;
  namespace: string;
  apiKey?: string | undefined;
  tls: boolean;
  interceptors?: WorkflowClientInterceptor[];
}

/** Deadline of every call, so that a slow Temporal does not block the process. */
export const CALL_DEADLINE_MS = 2_000;

/** The client's backoff ignores the deadline: with the default pauses a call could end more than a second late. */
const RETRY_DELAY_MS = 200;
const MAX_ATTEMPTS = 6;
const shortRetries = makeGrpcRetryInterceptor({
  ...defaultGrpcRetryOptions({ maxAttempts: MAX_ATTEMPTS }),
  delayFunction: () => RETRY_DELAY_MS,
});

export interface TemporalClient {
  client: Client;
  connection: Connection;
  close(): Promise<void>;
}

/** Connects lazily, so that a process starts while Temporal is unavailable. */
export const openTemporal = (settings: TemporalSettings): TemporalClient => {
  const options: ConnectionOptions = {
    address: settings.address,
    connectTimeout: CALL_DEADLINE_MS,
    interceptors: [shortRetries],
  };
  if (settings.tls || settings.apiKey) options.tls = true;
  if (settings.apiKey) options.apiKey = settings.apiKey;
  const connection = Connection.lazy(options);
  return {
    client: new Client({ connection, namespace: settings.namespace, interceptors: { workflow: settings.interceptors ?? [] } }),
    connection,
    close: () => connection.close(),
  };
};

/** Runs one call under the deadline. */
export const withDeadline = <T>(client: Client, call: () => Promise<T>): Promise<T> =>
  client.connection.withDeadline(Date.now() + CALL_DEADLINE_MS, call);
