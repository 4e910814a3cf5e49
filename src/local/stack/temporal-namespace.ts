import { Connection, type ConnectionOptions, isGrpcServiceError } from '@temporalio/client';
import { DEFAULT_NAMESPACES } from '../../contracts/workflows/descriptor.ts';
import { describeError, LocalStackError } from './local-stack-error.ts';

export interface NamespaceOptions {
  /** They must exist. Default: those of the settings. */
  namespaces?: readonly string[];
  tls?: ConnectionOptions['tls'];
  apiKey?: string;
  /** Default: 30. */
  retentionDays?: number;
  /** Receives one line when the retention could not be set. */
  log?: (line: string) => void;
}

const RETENTION_DAYS = 30;
const CALL_TIMEOUT_MS = 10_000;
const PING_TIMEOUT_MS = 5_000;
const PERMISSION_DENIED = 7;
const UNIMPLEMENTED = 12;

export const namespacesOf = ({ namespaces = Object.values(DEFAULT_NAMESPACES) }: NamespaceOptions): string[] => [
  ...new Set(namespaces),
];

/**
 * Makes the namespaces keep closed workflows for 30 days, or as many as asked for; a longer retention stays. A server that does not allow it
 * (Temporal Cloud) is logged, not an error.
 */
export async function ensureRetention(address: string, options: NamespaceOptions = {}): Promise<void> {
  const days = options.retentionDays ?? RETENTION_DAYS;
  for (const namespace of namespacesOf(options)) {
    try {
      await withConnection(address, options, namespace, (connection) => raiseRetention(connection, namespace, days));
    } catch (error) {
      const forbidden = isGrpcServiceError(error) && (error.code === PERMISSION_DENIED || error.code === UNIMPLEMENTED);
      if (!forbidden) throw new LocalStackError(`Temporal: ${describeError(error)}`);
      options.log?.(`Temporal does not allow changing the retention of namespace "${namespace}": set it to ${days} days there.`);
    }
  }
}

/** Succeeds only when the server answers for each namespace. */
export async function pingTemporal(address: string, options: NamespaceOptions = {}): Promise<void> {
  for (const namespace of namespacesOf(options))
    await withConnection(address, options, namespace, (connection) =>
      connection.withDeadline(Date.now() + PING_TIMEOUT_MS, () => connection.workflowService.describeNamespace({ namespace })),
    );
}

async function withConnection<T>(
  address: string,
  options: NamespaceOptions,
  namespace: string,
  run: (connection: Connection) => Promise<T>,
): Promise<T> {
  // Lazy, because a connection that failed inside `connect` cannot be closed and keeps the process alive.
  const connection = Connection.lazy({
    address,
    connectTimeout: CALL_TIMEOUT_MS,
    ...(options.tls === undefined ? {} : { tls: options.tls }),
    ...(options.apiKey === undefined ? {} : { apiKey: options.apiKey }),
    metadata: { 'temporal-namespace': namespace },
  });
  try {
    await connection.ensureConnected();
    return await run(connection);
  } finally {
    await connection.close();
  }
}

async function raiseRetention(connection: Connection, namespace: string, days: number): Promise<void> {
  const call = <T>(run: () => Promise<T>): Promise<T> => connection.withDeadline(Date.now() + CALL_TIMEOUT_MS, run);
  const found = await call(() => connection.workflowService.describeNamespace({ namespace }));
  const wantedSeconds = days * 86_400;
  if (Number(found.config?.workflowExecutionRetentionTtl?.seconds ?? 0) >= wantedSeconds) return;
  type Seconds = NonNullable<NonNullable<typeof found.config>['workflowExecutionRetentionTtl']>['seconds'];
  // The generated types ask for a 64-bit object; the encoder accepts a plain number as well.
  const retention = { seconds: wantedSeconds as unknown as NonNullable<Seconds> };
  await call(() =>
    connection.workflowService.updateNamespace({ namespace, config: { workflowExecutionRetentionTtl: retention } }),
  );
}
