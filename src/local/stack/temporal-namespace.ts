import { Connection, type ConnectionOptions, isGrpcServiceError } from '@temporalio/client';
import { describeError, LocalStackError } from './local-stack-error.ts';

export interface NamespaceOptions {
  /** Default: `default`. It must exist. */
  namespace?: string;
  tls?: ConnectionOptions['tls'];
  apiKey?: string;
  /** Receives one line when the retention could not be set. */
  log?: (line: string) => void;
}

const RETENTION_HOURS = 720;
const CALL_TIMEOUT_MS = 10_000;
const PING_TIMEOUT_MS = 5_000;
const PERMISSION_DENIED = 7;
const UNIMPLEMENTED = 12;

/**
 * Makes the namespace keep closed workflows for 30 days; a longer retention stays. A server that does not allow it
 * (Temporal Cloud) is logged, not an error.
 */
export async function ensureRetention(address: string, options: NamespaceOptions = {}): Promise<void> {
  const namespace = options.namespace ?? 'default';
  try {
    await withConnection(address, options, CALL_TIMEOUT_MS, (connection) => raiseRetention(connection, namespace));
  } catch (error) {
    const forbidden = isGrpcServiceError(error) && (error.code === PERMISSION_DENIED || error.code === UNIMPLEMENTED);
    if (!forbidden) throw new LocalStackError(`Temporal: ${describeError(error)}`);
    options.log?.(`Temporal does not allow changing the retention of namespace "${namespace}": set it to 30 days there.`);
  }
}

/** Succeeds only when the server answers for this namespace. */
export async function pingTemporal(address: string, options: NamespaceOptions = {}): Promise<void> {
  const namespace = options.namespace ?? 'default';
  await withConnection(address, options, PING_TIMEOUT_MS, (connection) =>
    connection.withDeadline(Date.now() + PING_TIMEOUT_MS, () => connection.workflowService.describeNamespace({ namespace })),
  );
}

async function withConnection<T>(
  address: string,
  options: NamespaceOptions,
  timeoutMs: number,
  run: (connection: Connection) => Promise<T>,
): Promise<T> {
  // Lazy, because a connection that failed inside `connect` cannot be closed and keeps the process alive.
  const connection = Connection.lazy({
    address,
    connectTimeout: timeoutMs,
    ...(options.tls === undefined ? {} : { tls: options.tls }),
    ...(options.apiKey === undefined ? {} : { apiKey: options.apiKey }),
    metadata: { 'temporal-namespace': options.namespace ?? 'default' },
  });
  try {
    await connection.ensureConnected();
    return await run(connection);
  } finally {
    await connection.close();
  }
}

async function raiseRetention(connection: Connection, namespace: string): Promise<void> {
  const call = <T>(run: () => Promise<T>): Promise<T> => connection.withDeadline(Date.now() + CALL_TIMEOUT_MS, run);
  const found = await call(() => connection.workflowService.describeNamespace({ namespace }));
  const wantedSeconds = RETENTION_HOURS * 3_600;
  if (Number(found.config?.workflowExecutionRetentionTtl?.seconds ?? 0) >= wantedSeconds) return;
  type Seconds = NonNullable<NonNullable<typeof found.config>['workflowExecutionRetentionTtl']>['seconds'];
  // The generated types ask for a 64-bit object; the encoder accepts a plain number as well.
  const retention = { seconds: wantedSeconds as unknown as NonNullable<Seconds> };
  await call(() =>
    connection.workflowService.updateNamespace({ namespace, config: { workflowExecutionRetentionTtl: retention } }),
  );
}
