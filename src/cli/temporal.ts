import { once } from 'node:events';
import { type Config, temporalAccess } from '../config.ts';
import { LIST_COLUMNS, LIST_VIEWS, listUrl } from '../contracts/workflows/views.ts';
import { listenOn } from '../platform/http/listen-on.ts';
import type { TemporalClient } from '../temporal/client.ts';
import type { AddCommands } from './command.ts';
import { tcpPort, usage, webOrigin } from './options.ts';

const DEFAULT_CODEC_PORT = 8888;

/** Loads Temporal's client only here: the other commands start in half the time without it. */
export const withTemporal = async <T>(config: Config, use: (temporal: TemporalClient) => Promise<T>): Promise<T> => {
  const { openTemporal } = await import('../temporal/client.ts');
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

interface CodecServerCommand {
  host: string;
  port: number;
  origin: string;
}

/** Runs until it is interrupted. */
const serveCodec = async (config: Config, { host, port, origin }: CodecServerCommand): Promise<null> => {
  const { TEMPORAL_PAYLOAD_KEYS: keys, CODEC_SERVER_TOKEN: token } = config;
  if (keys === undefined) throw usage('TEMPORAL_PAYLOAD_KEYS is not set: payloads are not encrypted');
  const { createPayloadCodec } = await import('../temporal/payload-codec.ts');
  const { buildCodecServer } = await import('./codec-server.ts');
  const server = buildCodecServer({ codec: createPayloadCodec(keys), origin, token });
  const url = await listenOn(server, { host, port }, '--port');
  process.stderr.write(`Codec endpoint of the Temporal UI: ${url}\n`);
  const stopped = new AbortController();
  const { signal } = stopped;
  await Promise.race([once(process, 'SIGINT', { signal }), once(process, 'SIGTERM', { signal })]);
  stopped.abort();
  await server.close();
  return null;
};

export const addTemporalCommands: AddCommands = (program, add) => {
  add<CodecServerCommand>(program, {
    name: 'codec-server',
    summary: 'Serve the decoded payloads of workflows to the Temporal UI until interrupted, for TEMPORAL_PAYLOAD_KEYS',
    run: ({ config }, options) => serveCodec(config, options),
  })
    .requiredOption('--origin <url>', 'Origin of the Temporal UI, whose pages may call the server', webOrigin)
    .option('--host <address>', 'Address to listen on', '127.0.0.1')
    .option('--port <number>', 'Port to listen on', tcpPort, DEFAULT_CODEC_PORT);
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
          '../temporal/search-attributes.ts'
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
