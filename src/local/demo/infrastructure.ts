import { join } from 'node:path';
import { migrate } from '../../platform/database/migrate.ts';
import { createSecrets, findSecrets, type Secrets } from '../installation/secrets-file.ts';
import { type LocalStack, openLocalStack } from '../stack/index.ts';
import { LocalStackError } from '../stack/local-stack-error.ts';
import type { Environment } from '../stack/programs.ts';
import { runSql } from '../stack/sql.ts';
import { assertKnownSchema } from './known-schema.ts';
import { buildWorkflowBundle, keepWorkflowBundle } from './workflow-bundle.ts';

export interface SystemOptions {
  folder: string;
  env: Environment;
  log: (line: string) => void;
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

export interface Infrastructure {
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
  const services = await openLocalStack({ data: { folder }, env, ...watch, temporalCluster: clusterOf(env) });
  closers.push(() => services.close());
  await assertKnownSchema(services.ownerDatabaseUrl, env['DATABASE_URL'] ? 'the database of DATABASE_URL' : folder);
  const application = { url: services.databaseUrl, resetPassword: !env['DATABASE_URL'] };
  const applied = await migrate(services.ownerDatabaseUrl, application);
  if (applied.length > 0) log('Database: schema updated');
  const secrets = (await findSecrets(folder)) ?? (await createSecretsOnce(options, services.ownerDatabaseUrl));
  return { services, secrets, workflowBundle: await keepWorkflowBundle(folder, await bundling) };
};

/** With new keys, stored secrets and payout details could not be decrypted, so keys are generated for an empty database only. */
const createSecretsOnce = async ({ folder, env }: SystemOptions, databaseUrl: string): Promise<Secrets> => {
  const isEmpty = (await runSql(databaseUrl, 'select 1 from merchant limit 1')).length === 0;
  if (isEmpty || env['ENCRYPTION_KEYS']) return createSecrets(folder);
  throw new LocalStackError(
    `The database contains data, but its encryption keys are missing (${join(folder, 'keys.json')}). Restore that file, set ENCRYPTION_KEYS, or remove ${folder} to start with an empty database.`,
  );
};

const clusterOf = (env: Environment) => ({
  ...(env['TEMPORAL_NAMESPACE'] ? { namespace: env['TEMPORAL_NAMESPACE'] } : {}),
  ...(env['TEMPORAL_TLS'] === 'true' || env['TEMPORAL_API_KEY'] ? { tls: true } : {}),
  ...(env['TEMPORAL_API_KEY'] ? { apiKey: env['TEMPORAL_API_KEY'] } : {}),
});
