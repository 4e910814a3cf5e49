import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DEFAULT_NAMESPACES } from '../../contracts/workflows/descriptor.ts';
import { migrate } from '../../platform/database/migrate.ts';
import { createSecrets, findSecrets, PROJECT_ROOT, type Secrets } from '../installation/data-folder.ts';
import { type LocalStack, openLocalStack } from '../stack/index.ts';
import { LocalStackError } from '../stack/local-stack-error.ts';
import type { Environment } from '../stack/programs.ts';
import { runSql } from '../stack/sql.ts';

export interface SystemOptions {
  folder: string;
  env: Environment;
  /** Receives one line per step. */
  log: (line: string) => void;
  /** The port of the API; null takes the usual one or the next free one. */
  port: number | null;
  /** Aborts the start. */
  signal: AbortSignal;
  /** Called when a child process exits on its own. */
  onCrash: (report: string) => void;
  /** Whether what exits is started again. */
  restart: boolean;
  onRestarted: () => void;
}

/** What was opened, in order; closed in reverse order. */
export type Closers = (() => Promise<void>)[];

interface Infrastructure {
  services: LocalStack;
  secrets: Secrets;
  /** Path of the workflow bundle. */
  workflowBundle: string;
}

/** Everything the processes need: services with an up-to-date schema, secrets, the workflow bundle. */
export const openInfrastructure = async (options: SystemOptions, closers: Closers): Promise<Infrastructure> => {
  const { folder, env, log, signal } = options;
  const bundling = buildWorkflowBundle();
  // Awaited once the services run; until then a failure must not end the process.
  bundling.catch(() => {});
  const { restart, onCrash, onRestarted } = options;
  const watch = { restart, onCrash, onRestarted, log, signal };
  log(`Starting PostgreSQL, Redis and Temporal, with their data in ${folder}`);
  const temporalCluster = await clusterOf(env);
  const services = await openLocalStack({ data: { folder }, env, ...watch, onReady: log, temporalCluster });
  closers.push(() => services.close());
  await assertKnownSchema(services.ownerDatabaseUrl, env['DATABASE_URL'] ? 'the database of DATABASE_URL' : folder);
  const application = { url: services.databaseUrl, resetPassword: !env['DATABASE_URL'] };
  const applied = await migrate(services.ownerDatabaseUrl, application);
  log(applied.length > 0 ? 'The database has its schema' : 'The schema of the database is up to date');
  const secrets = (await findSecrets(folder)) ?? (await createSecretsOnce(options, services.ownerDatabaseUrl));
  const workflowBundle = await keepWorkflowBundle(folder, await bundling);
  log('The workflows are bundled');
  return { services, secrets, workflowBundle };
};

/** With new keys, stored secrets and payout details could not be decrypted, so keys are generated for an empty database only. */
const createSecretsOnce = async ({ folder, env }: SystemOptions, databaseUrl: string): Promise<Secrets> => {
  const isEmpty = (await runSql(databaseUrl, 'select 1 from merchant limit 1')).length === 0;
  if (isEmpty || env['ENCRYPTION_KEYS']) return createSecrets(folder);
  throw new LocalStackError(
    `The database contains data, but its encryption keys are missing (${join(folder, 'keys.json')}). Restore that file, set ENCRYPTION_KEYS, or remove ${folder} to start with an empty database.`,
  );
};

const readIfSet = async (path: string | undefined): Promise<Buffer | null> => (path ? readFile(path) : null);

/** The settings of src/config.ts, for the check that the cluster responds. */
const clusterOf = async (env: Environment) => {
  const [crt, key, ca, apiKeyFile] = await Promise.all(
    ['TEMPORAL_TLS_CERT', 'TEMPORAL_TLS_KEY', 'TEMPORAL_TLS_CA', 'TEMPORAL_API_KEY_FILE'].map((name) => readIfSet(env[name])),
  );
  const serverName = env['TEMPORAL_TLS_SERVER_NAME'];
  const apiKey = apiKeyFile?.toString('utf8').trim() || env['TEMPORAL_API_KEY'];
  const tls = {
    ...(crt && key ? { clientCertPair: { crt, key } } : {}),
    ...(ca ? { serverRootCACertificate: ca } : {}),
    ...(serverName ? { serverNameOverride: serverName } : {}),
  };
  return {
    namespaces: [
      env['TEMPORAL_NAMESPACE'] || DEFAULT_NAMESPACES.finance,
      env['TEMPORAL_BACKGROUND_NAMESPACE'] || DEFAULT_NAMESPACES.background,
    ],
    ...retentionOf(env),
    ...(env['TEMPORAL_TLS'] === 'true' || apiKey || Object.keys(tls).length > 0 ? { tls } : {}),
    ...(apiKey ? { apiKey } : {}),
  };
};

const MAX_RETENTION_DAYS = 3_650;

const retentionOf = ({ TEMPORAL_RETENTION_DAYS: text }: Environment): { retentionDays?: number } => {
  if (!text) return {};
  const days = Number(text);
  if (Number.isInteger(days) && days >= 1 && days <= MAX_RETENTION_DAYS) return { retentionDays: days };
  throw new LocalStackError(`TEMPORAL_RETENTION_DAYS must be a number of days from 1 to ${MAX_RETENTION_DAYS}`);
};

const withoutExtension = (file: string): string => file.replace(/\.[cm]?[jt]s$/, '');

/** Throws when a migration was applied that no longer exists: the database has the schema of an earlier version. */
export const assertKnownSchema = async (databaseUrl: string, location: string): Promise<void> => {
  const [table] = await runSql(databaseUrl, "select to_regclass('public.migration') is not null as exists");
  if (table?.['exists'] !== true) return;
  const applied = await runSql(databaseUrl, 'select name from migration');
  const known = new Set((await readdir(join(PROJECT_ROOT, 'migrations'))).map(withoutExtension));
  if (applied.every(({ name }) => known.has(withoutExtension(String(name))))) return;
  throw new LocalStackError(
    `The data in ${location} was created by an earlier version with a different schema: to start over, remove it or choose an empty location (--data <folder>, or DATABASE_URL).`,
  );
};

/** Built once while the services start: otherwise the worker would build it for each of its queues. */
const buildWorkflowBundle = async (): Promise<string> => {
  const { bundleWorkflowCode, DefaultLogger } = await import('@temporalio/worker');
  const { code } = await bundleWorkflowCode({
    workflowsPath: join(PROJECT_ROOT, 'workflows/index.ts'),
    logger: new DefaultLogger('WARN'),
  });
  return code;
};

const keepWorkflowBundle = async (folder: string, code: string): Promise<string> => {
  const path = join(folder, 'workflow-bundle.js');
  await writeFile(path, code);
  return path;
};
