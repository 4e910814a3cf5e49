import { AsyncLocalStorage } from 'node:async_hooks';
import { appendFileSync } from 'node:fs';
import { AgentRef, type AgentRefConfig } from 'agentref';
import { OPERATIONS } from '../../src/api/routes.ts';
import { portOf, type TestApi } from './api.ts';

/** A call of the client that succeeded. */
export interface CompatRecord {
  /** `programs.create` */
  method: string;
  /** `POST /programs`, as declared. */
  operations: string[];
}

/** Where `npm run compat` collects the calls; undefined in other runs. */
const LOG = process.env['COMPAT_LOG'];

const requested = new AsyncLocalStorage<Set<string>>();

const PATTERNS = OPERATIONS.map((op) => ({
  name: `${op.method} ${op.path}`,
  method: op.method,
  path: new RegExp(`/api/v1${op.path.replaceAll(/\{\w+\}/g, '[^/]+')}$`),
  parameters: op.path.split('{').length,
}));

/** The most specific one: `/payouts/pending` is no `/payouts/{id}`. */
const operationOf = (method: string, url: string): string => {
  const { pathname } = new URL(url);
  const matching = PATTERNS.filter((pattern) => pattern.method === method && pattern.path.test(pathname));
  return matching.sort((a, b) => a.parameters - b.parameters)[0]?.name ?? `${method} ${pathname}`;
};

const record = (method: string, operations: Set<string>): void => {
  if (LOG !== undefined)
    appendFileSync(LOG, `${JSON.stringify({ method, operations: [...operations] } satisfies CompatRecord)}\n`);
};

type Method = (...args: unknown[]) => unknown;

const isIterable = (result: unknown): result is AsyncIterable<unknown> =>
  typeof result === 'object' && result !== null && Symbol.asyncIterator in result;

/** Passes the call on, and records it once it succeeded. */
const recorded = (name: string, method: Method): Method => {
  const walk = async function* (result: AsyncIterable<unknown>, operations: Set<string>) {
    const items = result[Symbol.asyncIterator]();
    for (;;) {
      const { done, value } = await requested.run(operations, () => items.next());
      if (done) break;
      yield value;
    }
    record(name, operations);
  };
  return (...args) => {
    // A method that calls another one shares its requests.
    const operations = requested.getStore() ?? new Set<string>();
    const result = requested.run(operations, () => method(...args));
    if (isIterable(result)) return walk(result, operations);
    return Promise.resolve(result).then((value) => {
      record(name, operations);
      return value;
    });
  };
};

const send = globalThis.fetch;
globalThis.fetch = (input, init) => {
  requested.getStore()?.add(operationOf(init?.method ?? 'GET', String(input)));
  return send(input, init);
};

/** The client as published. Only the base URL is changed; its calls are recorded. */
export const publishedClient = (config: AgentRefConfig): AgentRef => {
  const client = new AgentRef(config);
  for (const [resource, methods] of Object.entries(client) as [string, Record<string, Method>][]) {
    for (const name of Object.getOwnPropertyNames(Object.getPrototypeOf(methods))) {
      const method = methods[name];
      if (name !== 'constructor' && method) methods[name] = recorded(`${resource}.${name}`, method.bind(methods));
    }
  }
  return client;
};

/** Lets the API listen, and returns clients of it. */
export const listenForClients = async (api: TestApi): Promise<(apiKey: string, more?: AgentRefConfig) => AgentRef> => {
  const baseUrl = `http://127.0.0.1:${await portOf(api)}/api/v1`;
  return (apiKey, more = {}) => publishedClient({ apiKey, baseUrl, maxRetries: 0, ...more });
};
