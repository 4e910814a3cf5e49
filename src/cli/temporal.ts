import { type Config, temporalAccess } from '../config.ts';
import { LIST_COLUMNS, LIST_VIEWS, listUrl } from '../contracts/workflows/views.ts';
import type { TemporalClient } from '../relay/temporal-client.ts';
import type { AddCommands } from './command.ts';
import { usage } from './options.ts';

/** Loads Temporal's client only here: the other commands start in half the time without it. */
const withTemporal = async <T>(config: Config, use: (temporal: TemporalClient) => Promise<T>): Promise<T> => {
  const { openTemporal } = await import('../relay/temporal-client.ts');
  const temporal = openTemporal(temporalAccess(config));
  return use(temporal).finally(temporal.close);
};

const viewsOf = (config: Config) => {
  const { TEMPORAL_UI_URL: uiUrl } = config;
  if (uiUrl === undefined) throw usage('TEMPORAL_UI_URL is not set: the links need the address of the Temporal UI');
  const { namespaces } = temporalAccess(config);
  const now = new Date();
  return LIST_VIEWS.map(({ name, namespace, query }) => ({
    name,
    url: `${listUrl(uiUrl, namespaces[namespace])}?query=${encodeURIComponent(query(now))}`,
  }));
};

export const addTemporalCommands: AddCommands = (program, add) => {
  add(program, {
    name: 'temporal-views',
    summary: 'Print links to the views of the Temporal UI that finance and operators use, and the columns to choose there',
    run: async ({ config }) => ({ views: viewsOf(config), columns: LIST_COLUMNS }),
  });
  add(program, {
    name: 'search-attributes',
    summary: 'Remove the search attributes of earlier versions from the Temporal namespaces, and add those of this one',
    run: ({ config, log }) =>
      withTemporal(config, async (temporal) => {
        const { ensureSearchAttributes, removeRetiredSearchAttributes, serversOf } = await import(
          '../worker/search-attributes.ts'
        );
        const removed: string[] = [];
        let ok = true;
        for (const server of serversOf(temporal)) {
          removed.push(...(await removeRetiredSearchAttributes(server)));
          ok = (await ensureSearchAttributes(server, log)) && ok;
        }
        return { ok, removed: [...new Set(removed)] };
      }),
  });
  add(program, {
    name: 'end-background-workflows',
    summary: 'End the background workflows and Schedules that an installation with one namespace left in TEMPORAL_NAMESPACE',
    async run({ config }) {
      if (config.TEMPORAL_NAMESPACE === config.TEMPORAL_BACKGROUND_NAMESPACE)
        throw usage('TEMPORAL_NAMESPACE and TEMPORAL_BACKGROUND_NAMESPACE are the same: its background workflows are needed');
      const { endBackgroundWorkflows } = await import('../worker/end-background-workflows.ts');
      return withTemporal(config, ({ clients }) => endBackgroundWorkflows(clients, config.TEMPORAL_QUEUE_PREFIX));
    },
  });
};
