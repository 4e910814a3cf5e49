import type { PostgreSqlConnection } from '@mikro-orm/postgresql';
import type { TestApi } from './api.ts';

type Statement = string | { text: string };
interface CountedClient {
  query(statement: Statement, ...rest: unknown[]): unknown;
}
interface CountedPool {
  on(event: 'acquire', listener: (client: CountedClient) => void): void;
}

/** Records the statements that `work` sends, `begin` and `commit` included. Call it in a test: one recording at a time. */
export type StatementsOf = (work: () => Promise<unknown>) => Promise<string[]>;

/** Listens to every connection of the API. Call it before the first test. */
export const recordStatements = async ({ runtime }: TestApi): Promise<StatementsOf> => {
  const sent: string[] = [];
  const pool = (await (runtime.orm.em.getConnection() as PostgreSqlConnection).getNativeClient()) as unknown as CountedPool;
  const counted = new WeakSet<CountedClient>();
  pool.on('acquire', (client) => {
    if (counted.has(client)) return;
    counted.add(client);
    const query = client.query.bind(client);
    client.query = (statement, ...rest) => {
      sent.push(typeof statement === 'string' ? statement : statement.text);
      return query(statement, ...rest);
    };
  });
  return async (work) => {
    sent.length = 0;
    await work();
    return [...sent];
  };
};
