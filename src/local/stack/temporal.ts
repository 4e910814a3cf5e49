import { chmod } from 'node:fs/promises';
import { join } from 'node:path';
import { SEARCH_ATTRIBUTES } from '../../contracts/workflows/descriptor.ts';
import { startChild } from './children.ts';
import { describeError, LocalStackError } from './local-stack-error.ts';
import type { OpenService, ServiceOptions } from './open-service.ts';
import { findFreePort, onFreePort } from './ports.ts';
import { ensureRetention, type NamespaceOptions, namespacesOf, pingTemporal } from './temporal-namespace.ts';
import { getTemporalProgram } from './temporal-program.ts';

export interface TemporalOptions extends ServiceOptions, Pick<NamespaceOptions, 'namespaces' | 'retentionDays'> {
  port: number;
  /** Null for a server without its UI. */
  uiPort: number | null;
  /** Whether histories survive a restart (SQLite file in the data directory), at half the speed. */
  persistent: boolean;
  /** Takes up to 1.5 GB of memory to save processor time: tests only. */
  fewerCollections?: boolean;
}

export interface OpenTemporal extends OpenService {
  uiUrl: string | null;
}

/** Starts the dev server of the Temporal CLI, with retention and, on a new database, search attributes. `url` is `host:port`. */
export async function openTemporal(options: TemporalOptions): Promise<OpenTemporal> {
  const program = await getTemporalProgram(options);
  // Histories of earlier versions were readable by everyone.
  await Promise.all(databaseFiles(options).map((path) => chmod(path, 0o600).catch(() => {})));
  return onFreePort(
    options.port,
    async (port) => {
      const uiPort = options.uiPort === null || options.exactPorts ? options.uiPort : await findFreePort(options.uiPort);
      const address = `127.0.0.1:${port}`;
      const child = await startChild({
        name: 'temporal',
        command: program,
        args: toArguments(options, port, uiPort),
        env: { ...withoutTemporalSettings(options.env), ...(options.fewerCollections ? FEWER_COLLECTIONS : {}) },
        logsDir: options.directory.logsDir,
        pidsDir: options.directory.pidsDir,
        privateFiles: true,
        onCrash: options.onCrash,
      });
      try {
        const ports = uiPort === null ? [port] : [port, uiPort];
        await child.waitUntilReady(() => pingTemporal(address, options), { ports, timeoutMs: 60_000, signal: options.signal });
        await ensureRetention(address, options);
      } catch (error) {
        await child.stop();
        throw error;
      }
      const uiUrl = uiPort === null ? null : `http://127.0.0.1:${uiPort}`;
      return { url: address, uiUrl, pid: child.pid, close: () => child.stop() };
    },
    options.exactPorts,
  );
}

/** Otherwise a seventh of its processor time goes into keeping its memory small. */
const FEWER_COLLECTIONS = { GOGC: '400', GOMEMLIMIT: '1500MiB' };

/** The CLI spells `KEYWORD` as `Keyword`. */
function toCliType(type: string): string {
  return type.charAt(0) + type.slice(1).toLowerCase();
}

function toArguments(options: TemporalOptions, port: number, uiPort: number | null): string[] {
  const args = ['server', 'start-dev', '--ip', '127.0.0.1', '--port', String(port), '--log-level', 'warn'];
  args.push('--dynamic-config-value', 'matching.enableFairness=true');
  // The default is 20 for each shard: a single-shard dev server would pass on only 20 batches of tasks a second.
  args.push('--dynamic-config-value', 'history.transferProcessorMaxPollRPS=1000');
  // Marks workflows that cannot go on, so that they can be listed.
  args.push('--dynamic-config-value', 'system.numConsecutiveWorkflowTaskProblemsToTriggerSearchAttribute=3');
  args.push(...(uiPort === null ? ['--headless'] : ['--ui-port', String(uiPort), '--ui-disable-news-fetch']));
  for (const namespace of namespacesOf(options)) args.push('--namespace', namespace);
  // Ignored when the database file exists already: the worker adds those that are missing.
  for (const [name, type] of Object.entries(SEARCH_ATTRIBUTES)) args.push('--search-attribute', `${name}=${toCliType(type)}`);
  if (options.persistent) args.push('--db-filename', databaseFile(options));
  return args;
}

function databaseFile({ directory }: TemporalOptions): string {
  return join(directory.path, 'temporal.db');
}

function databaseFiles(options: TemporalOptions): string[] {
  return ['', '-wal', '-shm'].map((suffix) => databaseFile(options) + suffix);
}

/** The CLI reads TEMPORAL_… variables as its settings; those of another cluster must not reach this server. */
function withoutTemporalSettings(env: ServiceOptions['env']): ServiceOptions['env'] {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !name.startsWith('TEMPORAL_')));
}

export interface ClusterOptions extends NamespaceOptions {
  uiUrl?: string;
}

/** The existing cluster at TEMPORAL_ADDRESS; checks that it responds and sets the retention of its namespace. */
export async function useTemporal(address: string, cluster: ClusterOptions): Promise<OpenTemporal> {
  try {
    await pingTemporal(address, cluster);
    await ensureRetention(address, cluster);
  } catch (error) {
    throw new LocalStackError(
      `TEMPORAL_ADDRESS is set to ${address}, but the cluster there cannot be used: ${describeError(error)}. Check address, namespace, TLS and key, or unset TEMPORAL_ADDRESS to get a local one.`,
    );
  }
  return { url: address, uiUrl: cluster.uiUrl ?? null, pid: null, close: async () => {} };
}
