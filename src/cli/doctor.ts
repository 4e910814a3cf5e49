import type { Command } from 'commander';
import type { CheckResult } from '../audit/index.ts';
import { dataFolderOf } from '../installation/data-folder.ts';
import type { Environment } from '../installation/system-settings.ts';
import type { Runtime } from '../runtime.ts';
import { describeFailure } from './describe-failure.ts';
import { openOperatorRuntime, operatorContext, waitForRedis } from './operator.ts';

const examine = async (runtime: Runtime): Promise<CheckResult[]> => {
  // Loaded only here: the other commands start in half the time without Temporal's client.
  const { runDoctor } = await import('../audit/index.ts');
  const { openTemporal } = await import('../relay/temporal-client.ts');
  const { config, redis } = runtime;
  const temporal = openTemporal({
    address: config.TEMPORAL_ADDRESS,
    namespace: config.TEMPORAL_NAMESPACE,
    apiKey: config.TEMPORAL_API_KEY,
    tls: config.TEMPORAL_TLS,
  });
  try {
    await waitForRedis(runtime);
    const settings = {
      environment: config.ENVIRONMENT,
      publicUrl: config.PUBLIC_URL,
      queuePrefix: config.TEMPORAL_QUEUE_PREFIX,
    };
    return await runDoctor({ ctx: operatorContext(runtime), redis, temporal, settings });
  } finally {
    await temporal.close();
  }
};

/** Invalid settings are the first result: nothing else can be checked with them. */
const runAllChecks = async (env: Environment): Promise<CheckResult[]> => {
  let runtime: Runtime;
  try {
    runtime = await openOperatorRuntime(env, dataFolderOf(env));
  } catch (error) {
    return [{ name: 'configuration', status: 'fail', text: describeFailure(error).text }];
  }
  try {
    return await examine(runtime);
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
