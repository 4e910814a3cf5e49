import { Connection, type ConnectionOptions, isGrpcServiceError } from '@temporalio/client';
import { describeError, LocalStackError } from './local-stack-error.ts';
import { type SearchAttributeType, TEMPORAL_SEARCH_ATTRIBUTES } from './temporal-search-attributes.ts';

export interface PrepareNamespaceOptions {
  /** Default: `default`. It must exist. */
  namespace?: string;
  tls?: ConnectionOptions['tls'];
  apiKey?: string;
  /** How long closed histories are kept. Default: 720 hours; a longer one that is set already stays. */
  retentionHours?: number;
  log?: (line: string) => void;
}

/** The numbers of `temporal.api.enums.v1.IndexedValueType`. */
const INDEXED_VALUE_TYPES: Record<SearchAttributeType, number> = { Keyword: 2, Int: 3, Bool: 5, Datetime: 6 };
const CALL_TIMEOUT_MS = 10_000;
const PING_TIMEOUT_MS = 5_000;
const PERMISSION_DENIED = 7;
const UNIMPLEMENTED = 12;

/**
 * Gives the namespace its retention and search attributes. Changes only what is missing, so it may
 * run at every start. Where the cluster does not allow it (Temporal Cloud), it says what to set by hand.
 */
export async function prepareTemporalNamespace(address: string, options: PrepareNamespaceOptions = {}): Promise<void> {
  const namespace = options.namespace ?? 'default';
  const log = options.log ?? (() => {});
  await withConnection(address, options, CALL_TIMEOUT_MS, async (connection) => {
    await unlessForbidden(
      () => ensureRetention(connection, namespace, options.retentionHours ?? 720),
      () => log(`Temporal does not let us set the retention of namespace "${namespace}": set it to 30 days there.`),
    );
    await unlessForbidden(
      () => ensureSearchAttributes(connection, namespace),
      () => log(`Temporal does not let us add search attributes: add ${describeAttributes()} to namespace "${namespace}" there.`),
    );
  });
}

/** Succeeds only when the server answers for this namespace. */
export async function pingTemporal(address: string, options: PrepareNamespaceOptions = {}): Promise<void> {
  const namespace = options.namespace ?? 'default';
  await withConnection(address, options, PING_TIMEOUT_MS, (connection) =>
    connection.withDeadline(Date.now() + PING_TIMEOUT_MS, () => connection.workflowService.describeNamespace({ namespace })),
  );
}

async function withConnection<T>(
  address: string,
  options: PrepareNamespaceOptions,
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

async function ensureRetention(connection: Connection, namespace: string, hours: number): Promise<void> {
  const call = <T>(run: () => Promise<T>): Promise<T> => connection.withDeadline(Date.now() + CALL_TIMEOUT_MS, run);
  const found = await call(() => connection.workflowService.describeNamespace({ namespace }));
  const seconds = Number(found.config?.workflowExecutionRetentionTtl?.seconds ?? 0);
  if (seconds >= hours * 3_600) return;
  // The generated types want a 64-bit object; the encoder takes a plain number as well.
  const ttl = {
    seconds: (hours * 3_600) as unknown as NonNullable<
      NonNullable<typeof found.config>['workflowExecutionRetentionTtl']
    >['seconds'],
  };
  await call(() => connection.workflowService.updateNamespace({ namespace, config: { workflowExecutionRetentionTtl: ttl } }));
}

async function ensureSearchAttributes(connection: Connection, namespace: string): Promise<void> {
  const call = <T>(run: () => Promise<T>): Promise<T> => connection.withDeadline(Date.now() + CALL_TIMEOUT_MS, run);
  const { customAttributes } = await call(() => connection.operatorService.listSearchAttributes({ namespace }));
  const missing: Record<string, number> = {};
  for (const [name, type] of Object.entries(TEMPORAL_SEARCH_ATTRIBUTES)) {
    const found = customAttributes?.[name];
    if (found === undefined || found === null) missing[name] = INDEXED_VALUE_TYPES[type];
    else if (found !== INDEXED_VALUE_TYPES[type]) {
      throw new LocalStackError(
        `Temporal knows the search attribute ${name} with another type than ${type}. Rename or remove it in namespace "${namespace}" (temporal operator search-attribute), then start again.`,
      );
    }
  }
  if (Object.keys(missing).length === 0) return;
  await call(() => connection.operatorService.addSearchAttributes({ namespace, searchAttributes: missing }));
}

async function unlessForbidden(run: () => Promise<void>, tell: () => void): Promise<void> {
  try {
    await run();
  } catch (error) {
    const forbidden = isGrpcServiceError(error) && (error.code === PERMISSION_DENIED || error.code === UNIMPLEMENTED);
    if (!forbidden) throw error instanceof LocalStackError ? error : new LocalStackError(`Temporal: ${describeError(error)}`);
    tell();
  }
}

function describeAttributes(): string {
  return Object.entries(TEMPORAL_SEARCH_ATTRIBUTES)
    .map(([name, type]) => `${name} (${type})`)
    .join(', ');
}
