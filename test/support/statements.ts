import type { PostgreSqlConnection } from '@mikro-orm/postgresql';
import type { TestApi } from './api.ts';

type Statement = string | { text: string; values?: unknown[] };
export interface SentStatement {
  text: string;
  values: unknown[];
}
interface CountedClient {
  query(statement: Statement, ...rest: unknown[]): unknown;
}
interface CountedPool {
  on(event: 'acquire', listener: (client: CountedClient) => void): void;
}

/** Records the statements that `work` sends, `begin` and `commit` included. Call it in a test: one recording at a time. */
export type StatementsOf = (work: () => Promise<unknown>) => Promise<string[]>;

/** As `recordStatements`, with the values of the parameters. */
export const recordStatementsWithValues = async ({
  runtime,
}: TestApi): Promise<(work: () => Promise<unknown>) => Promise<SentStatement[]>> => {
  const sent: SentStatement[] = [];
  const pool = (await (runtime.orm.em.getConnection() as PostgreSqlConnection).getNativeClient()) as unknown as CountedPool;
  const counted = new WeakSet<CountedClient>();
  pool.on('acquire', (client) => {
    if (counted.has(client)) return;
    counted.add(client);
    const query = client.query.bind(client);
    client.query = (statement, ...rest) => {
      const [values] = rest;
      if (typeof statement === 'string') sent.push({ text: statement, values: Array.isArray(values) ? values : [] });
      else sent.push({ text: statement.text, values: statement.values ?? [] });
      return query(statement, ...rest);
    };
  });
  return async (work) => {
    sent.length = 0;
    await work();
    return [...sent];
  };
};

/** Listens to every connection of the API. Call it before the first test. */
export const recordStatements = async (api: TestApi): Promise<StatementsOf> => {
  const statementsOf = await recordStatementsWithValues(api);
  return async (work) => (await statementsOf(work)).map(({ text }) => text);
};
