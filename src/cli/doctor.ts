import type { Command } from 'commander';
import type { CheckResult } from '../audit/index.ts';
import { type Config, temporalAccess } from '../config.ts';
import { ENCRYPTED_COLUMNS } from '../encrypted-columns.ts';
import { dataFolderOf } from '../local/installation/data-folder.ts';
import type { Environment } from '../local/installation/system-settings.ts';
import type { Context } from '../platform/context.ts';
import { createLogger } from '../platform/logger.ts';
import { openRedis } from '../platform/redis/redis.ts';
import { openRuntime, type Runtime, storageOf } from '../runtime.ts';
import { describeFailure } from './describe-failure.ts';
import { operatorContext, readOperatorConfig, waitForRedis } from './operator.ts';

const failed = (name: string, error: unknown): CheckResult => ({ name, status: 'fail', text: describeFailure(error).text });

/** Redis and Temporal are checked even when this program cannot use the database. */
const examine = async (config: Config, ctx: Context | null): Promise<CheckResult[]> => {
  // Loaded only here: the other commands start in half the time without Temporal's client.
  const { runDoctor } = await import('../audit/index.ts');
  const { openTemporal } = await import('../temporal/client.ts');
  const redis = openRedis(config.REDIS_URL, createLogger({ level: 'silent', process: 'operator' }));
  const temporal = openTemporal(temporalAccess(config));
  try {
    await waitForRedis({ redis });
    const settings = {
      environment: config.ENVIRONMENT,
      publicUrl: config.PUBLIC_URL,
      queuePrefix: config.TEMPORAL_QUEUE_PREFIX,
      isVersioned: config.TEMPORAL_VERSIONING,
      hasMailServer: config.SMTP_URL !== undefined,
      trustProxy: config.TRUST_PROXY,
    };
    const storage = storageOf(config);
    return await runDoctor({ ctx, encryptedColumns: ENCRYPTED_COLUMNS, redis, temporal, storage, settings });
  } finally {
    redis.disconnect();
    await temporal.close();
  }
};

/** With invalid settings, nothing else can be checked. */
const runAllChecks = async (env: Environment): Promise<CheckResult[]> => {
  let config: Config;
  try {
    config = await readOperatorConfig(env, dataFolderOf(env));
  } catch (error) {
    return [failed('configuration', error)];
  }
  let runtime: Runtime;
  try {
    runtime = await openRuntime(config, 'operator');
  } catch (error) {
    return [failed('startup', error), ...(await examine(config, null))];
  }
  try {
    return await examine(config, operatorContext(runtime));
  } finally {
    await runtime.close();
  }
};

/** Unlike other commands, prints lines for people, and reports invalid settings as a result. */
export const addDoctorCommand = (program: Command, env: Environment): void => {
  program
    .command('doctor')
    .description('Check the installation: one line per check, exit code 1 if one fails')
    .option('--json', 'Print one line of JSON')
    .copyInheritedSettings(program)
    .action(async ({ json }: { json?: true }) => {
      const checks = await runAllChecks(env);
      const isHealthy = checks.every(({ status }) => status !== 'fail');
      const lines = checks.map(({ name, status, text }) => `${status.padEnd(4)}  ${name.padEnd(28)}  ${text}`);
      process.stdout.write(`${json ? JSON.stringify({ ok: isHealthy, checks }) : lines.join('\n')}\n`);
      if (!isHealthy) process.exitCode = 1;
    });
};
