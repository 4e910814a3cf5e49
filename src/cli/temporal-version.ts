import { Option } from 'commander';
import { SECOND_MS } from '../platform/clock.ts';
import type { Runtime } from '../runtime.ts';
import type { Client } from '../temporal/client.ts';
import type { AddCommands } from './command.ts';
import { percentage, waitSeconds } from './options.ts';
import { withTemporal } from './temporal.ts';

interface VersionOptions {
  build?: string;
  wait: number;
}

const DEFAULT_WAIT_SECONDS = 120;

type Versions = typeof import('../temporal/worker-versions.ts');

/** Applies a change to both namespaces, then reads what Temporal says. */
const inEachNamespace = async (
  { config }: Runtime,
  change: (versions: Versions, client: Client) => Promise<void> = async () => {},
) => {
  const { distinctClients } = await import('../temporal/client.ts');
  const versions = await import('../temporal/worker-versions.ts');
  return withTemporal(config, async ({ clients }) => {
    const namespaces = [];
    for (const client of distinctClients(clients)) {
      await change(versions, client);
      namespaces.push(await versions.readVersions(client, config.TEMPORAL_QUEUE_PREFIX));
    }
    return { namespaces };
  });
};

const changeOf = ({ config }: Runtime, { build, wait }: VersionOptions) => ({
  buildId: build ?? config.TEMPORAL_BUILD_ID,
  queuePrefix: config.TEMPORAL_QUEUE_PREFIX,
  waitMs: wait * SECOND_MS,
});

const BUILD = ['--build <id>', 'Build id of the workers; default: TEMPORAL_BUILD_ID'] as const;
const wait = () =>
  new Option('--wait <seconds>', 'How long to wait for the workers').argParser(waitSeconds).default(DEFAULT_WAIT_SECONDS);

export const addVersionCommands: AddCommands = (program, add) => {
  const version = program
    .command('temporal-version')
    .description('Versions of the workers, with TEMPORAL_VERSIONING')
    .copyInheritedSettings(program);
  add(version, {
    name: 'show',
    summary: 'Which version of the workers is current in each namespace; exit code 1 if none is',
    async run(runtime) {
      const { namespaces } = await inEachNamespace(runtime);
      return { ok: namespaces.every(({ current }) => current !== null), namespaces };
    },
  });
  add<VersionOptions & { movePinned?: boolean }>(version, {
    name: 'set-current',
    summary:
      'Send new work to a version once its workers poll; to be run after each start of another version. Without TEMPORAL_VERSIONING, changes nothing',
    run: (runtime, options) =>
      inEachNamespace(runtime, async (versions, client) => {
        // A deployment runs this command with or without versions.
        if (!runtime.config.TEMPORAL_VERSIONING) return;
        const change = changeOf(runtime, options);
        await versions.setCurrentVersion(client, change);
        if (options.movePinned) await versions.movePinned(client, change);
      }),
  })
    .option(...BUILD)
    .option('--move-pinned', 'Move open workflows of other versions too: for workers that are replaced in place')
    .addOption(wait());
  add(version, {
    name: 'unset-current',
    summary: 'Send new work to workers without a version: for going back to a build without versions',
    run: (runtime) =>
      inEachNamespace(runtime, (versions, client) => versions.unsetCurrentVersion(client, runtime.config.TEMPORAL_QUEUE_PREFIX)),
  });
  add<VersionOptions & { percentage: number }>(version, {
    name: 'ramp',
    summary: 'Send a part of the new work to a version once its workers poll',
    run: (runtime, options) =>
      inEachNamespace(runtime, (versions, client) =>
        versions.setRampingVersion(client, { ...changeOf(runtime, options), percentage: options.percentage }),
      ),
  })
    .option(...BUILD)
    .requiredOption('--percentage <number>', '0 to 100', percentage)
    .addOption(wait());
};
