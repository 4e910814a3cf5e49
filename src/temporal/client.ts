import {
  Client,
  type Connection,
  defaultGrpcRetryOptions,
  makeGrpcRetryInterceptor,
  type WorkflowClientInterceptor,
} from '@temporalio/client';
import type { Namespace } from '../contracts/workflows/descriptor.ts';
import { openConnection, type TemporalAccess } from './access.ts';
import { dataConverterOf } from './payload-codec.ts';

/** Deadline of every call, so that a slow Temporal does not block the process. */
export const CALL_DEADLINE_MS = 2_000;
const LONG_DEADLINE_MS = 10_000;

/** The client's backoff ignores the deadline: with the default pauses a call could end more than a second late. */
const RETRY_DELAY_MS = 200;
const MAX_ATTEMPTS = 6;
const shortRetries = makeGrpcRetryInterceptor({
  ...defaultGrpcRetryOptions({ maxAttempts: MAX_ATTEMPTS }),
  delayFunction: () => RETRY_DELAY_MS,
});

export type { Client };

/** Both are the same one where the settings name one namespace. */
export type Clients = Readonly<Record<Namespace, Client>>;

/** One for each namespace. */
export const distinctClients = (clients: Clients): Client[] => [...new Set(Object.values(clients))];

export interface TemporalClient {
  clients: Clients;
  connection: Connection;
  close(): Promise<void>;
}

/** Connects lazily, so that a process starts while Temporal is unavailable. */
export const openTemporal = (access: TemporalAccess, interceptors: WorkflowClientInterceptor[] = []): TemporalClient => {
  const connection = openConnection(access, { connectTimeout: CALL_DEADLINE_MS, interceptors: [shortRetries] });
  const dataConverter = dataConverterOf(access.payloadKeys);
  const clientOf = (namespace: string) =>
    new Client({ connection, namespace, dataConverter, interceptors: { workflow: interceptors } });
  const { namespaces } = access;
  const finance = clientOf(namespaces.finance);
  const background = namespaces.background === namespaces.finance ? finance : clientOf(namespaces.background);
  return {
    clients: { finance, background },
    connection,
    close: () => connection.close(),
  };
};

/** Runs one call under the deadline. */
export const withDeadline = <T>(client: Client, call: () => Promise<T>): Promise<T> =>
  client.connection.withDeadline(Date.now() + CALL_DEADLINE_MS, call);

/** As `withDeadline`, for lists, which read the visibility store, and for calls that nobody waits for. */
export const withLongDeadline = <T>(client: Client, call: () => Promise<T>): Promise<T> =>
  client.connection.withDeadline(Date.now() + LONG_DEADLINE_MS, call);
