import { join } from 'node:path';
import { operatorContext } from '../../cli/operator.ts';
import { loadConfig } from '../../config.ts';
import { openRuntime, type Runtime } from '../../runtime.ts';
import { type Addresses, systemSettings } from '../installation/system-settings.ts';
import { onChosenPorts } from '../stack/ports.ts';
import { type DemoPeople, findOrCreateDemo } from './demo-data.ts';
import { type ProcessSettings, type SystemProcesses, startProcesses } from './processes.ts';
import type { Watch } from './supervise.ts';
import type { SystemPorts } from './system-ports.ts';

interface SystemSettings extends Omit<ProcessSettings, 'addresses' | 'ports'> {
  /** Folder of the data. */
  folder: string;
}

interface OpenProcesses {
  addresses: Addresses;
  processes: SystemProcesses;
  /** Runtime of the launcher itself. */
  runtime: Runtime;
  people: DemoPeople;
}

/**
 * Creates the demo data and starts the processes. When another program takes a chosen port before its process listens, all are
 * started again on ports that are chosen then, because each knows the addresses of the others.
 */
export const openProcesses = (given: SystemSettings, watch: Watch, choose: () => Promise<SystemPorts>): Promise<OpenProcesses> =>
  onChosenPorts(choose, async (ports) => {
    const addresses = addressesOf(given, ports);
    const settings = { ...systemSettings(given.env, addresses, given.secrets), DATABASE_POOL: '2', LOG_LEVEL: 'silent' };
    const runtime = await openRuntime(loadConfig(settings), 'start');
    try {
      const people = await findOrCreateDemo(operatorContext(runtime));
      watch.log('The demo merchant has its program and affiliates');
      const processes = await startProcesses({ ...given, addresses, ports }, watch);
      return { addresses, processes, runtime, people };
    } catch (error) {
      await runtime.close();
      throw error;
    }
  });

const addressesOf = ({ services, folder }: SystemSettings, ports: SystemPorts): Addresses => ({
  // Passkeys need a name: browsers refuse them at an address.
  origin: `http://localhost:${ports.api}`,
  databaseUrl: services.databaseUrl,
  redisUrl: services.redisUrl,
  temporalAddress: services.temporalAddress,
  temporalUiUrl: services.temporalUiUrl,
  sandboxUrl: `http://127.0.0.1:${ports.sandbox}`,
  mailboxDir: join(folder, 'mailbox'),
  filesDir: join(folder, 'files'),
});
