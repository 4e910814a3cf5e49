import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { DEFAULT_NAMESPACES } from '../../src/contracts/workflows/descriptor.ts';
import { findFreePort } from '../../src/local/stack/index.ts';
import { pingTemporal } from '../../src/local/stack/temporal-namespace.ts';
import { getTemporalProgram } from '../../src/local/stack/temporal-program.ts';
import { until } from './until.ts';

/** A Temporal server of its own, for tests that need settings which hold for the whole server. */
export const startTemporalServer = async (
  dynamicConfig: Readonly<Record<string, number | boolean>>,
): Promise<{ address: string; close(): Promise<void> }> => {
  const program = await getTemporalProgram({ env: process.env, log: () => undefined });
  const port = await findFreePort(0);
  const settings = Object.entries(dynamicConfig).flatMap(([name, value]) => ['--dynamic-config-value', `${name}=${value}`]);
  const namespaces = Object.values(DEFAULT_NAMESPACES).flatMap((namespace) => ['--namespace', namespace]);
  const child = spawn(
    program,
    [
      'server',
      'start-dev',
      '--headless',
      '--ip',
      '127.0.0.1',
      '--port',
      String(port),
      '--log-level',
      'error',
      ...namespaces,
      ...settings,
    ],
    { stdio: 'ignore' },
  );
  const killWithThisProcess = () => void child.kill('SIGKILL');
  process.on('exit', killWithThisProcess);
  const exited = once(child, 'exit');
  const address = `127.0.0.1:${port}`;
  await until('the Temporal server responds', () =>
    pingTemporal(address).then(
      () => true,
      () => false,
    ),
  );
  return {
    address,
    async close() {
      child.kill('SIGKILL');
      await exited;
      process.off('exit', killWithThisProcess);
    },
  };
};
