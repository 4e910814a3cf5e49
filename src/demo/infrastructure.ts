import { join } from 'node:path';
import { findSecrets, makeSecrets, type Secrets } from '../installation/secrets-file.ts';
import { type LocalStack, openLocalStack } from '../local-stack/index.ts';
import { LocalStackError } from '../local-stack/local-stack-error.ts';
import type { Environment } from '../local-stack/programs.ts';
import { runSql } from '../local-stack/sql.ts';
import { migrate } from '../platform/database/migrate.ts';
import { buildWorkflowBundle, keepWorkflowBundle } from './workflow-bundle.ts';

export interface SystemOptions {
  folder: string;
  env: Environment;
  log: (line: string) => void;
  /** Ends a start that is under way. */
  signal: AbortSignal;
  /** Told when a child ends unasked. */
  onCrash: (report: string) => void;
  /** Whether processes of ours that died are started again. */
  restart: boolean;
}

/** What was opened, in order; closed the other way round. */
export type Closers = (() => Promise<void>)[];

export interface Infrastructure {
  services: LocalStack;
  secrets: Secrets;
  /** Path of the built workflows. */
  workflowBundle: string;
}

/** Everything the processes of ours stand on: services with an up-to-date schema, secrets, the built workflows. */
export const openInfrastructure = async (options: SystemOptions, closers: Closers): Promise<Infrastructure> => {
  const { folder, env, log, signal } = options;
  const bundling = buildWorkflowBundle();
  // Looked at only when the services run; until then a failure must not end the process.
  bundling.catch(() => {});
  const onCrash = (report: string): void => options.onCrash(`${report}\nIt stays down: stop with Ctrl-C and start again.`);
  const services = await openLocalStack({ data: { folder }, env, log, onCrash, signal, temporalCluster: clusterOf(env) });
  closers.push(() => services.close());
  const applied = await migrate(services.databaseUrl);
  if (applied.length > 0)
    log(`Database: ${applied.length === 1 ? 'a migration was' : `${applied.length} migrations were`} applied`);
  const secrets = (await findSecrets(folder)) ?? (await makeSecretsOnce(options, services.databaseUrl));
  return { services, secrets, workflowBundle: await keepWorkflowBundle(folder, await bundling) };
};

/** New keys would make every stored secret and payout address unreadable, so they are drawn for an empty database only. */
const makeSecretsOnce = async ({ folder, env }: SystemOptions, databaseUrl: string): Promise<Secrets> => {
  const isEmpty = (await runSql(databaseUrl, 'select 1 from merchant limit 1')).length === 0;
  if (isEmpty || env['ENCRYPTION_KEYS']) return makeSecrets(folder);
  throw new LocalStackError(
    `The database holds data, and its encryption keys are gone (${join(folder, 'keys.json')}). Restore that file, set ENCRYPTION_KEYS, or remove ${folder} to start empty.`,
  );
};

const clusterOf = (env: Environment) => ({
  ...(env['TEMPORAL_NAMESPACE'] ? { namespace: env['TEMPORAL_NAMESPACE'] } : {}),
  ...(env['TEMPORAL_TLS'] === 'true' || env['TEMPORAL_API_KEY'] ? { tls: true } : {}),
  ...(env['TEMPORAL_API_KEY'] ? { apiKey: env['TEMPORAL_API_KEY'] } : {}),
});
