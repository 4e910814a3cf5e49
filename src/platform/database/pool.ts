import { statementName } from './prepared.ts';

/** What is used of a client of the driver, which has no types of its own. */
interface PooledClient {
  query(...given: unknown[]): unknown;
  end(): Promise<void>;
  once(event: 'end', heard: () => void): void;
}

export interface ClientPool {
  on(event: 'connect', heard: (client: PooledClient) => void): void;
}

type Release = (broken?: unknown) => void;

/**
 * Three things that the layers above leave undone. A transaction whose connection died is never given back, because its
 * rollback fails first: after `max` of them the pool would be empty for good. And a statement that the driver stopped
 * waiting for still runs on its connection, whose next user would inherit it and its transaction. So a connection that
 * ends gives itself back, and one whose statement timed out is closed. And statements that come back are prepared.
 */
export const repairPool = (pool: ClientPool): void => {
  pool.on('connect', (client) => {
    let giveBack: Release | undefined;
    const release: Release = (broken) => {
      const give = giveBack;
      giveBack = undefined;
      give?.(broken);
    };
    // The pool sets a new function at each checkout.
    Object.defineProperty(client, 'release', {
      get: () => release,
      set(given: Release) {
        giveBack = given;
      },
    });
    client.once('end', () => release(true));
    watchQueries(client);
  });
};

const watchQueries = (client: PooledClient): void => {
  const query = client.query.bind(client);
  client.query = (...given) => {
    const answer = query(...prepared(given));
    if (answer instanceof Promise) {
      answer.catch((error: unknown) => {
        if (error instanceof Error && CONNECTION_SPOILED.has(error.message)) void client.end();
      });
    }
    return answer;
  };
};

/** The second comes once for each statement that was prepared before a migration changed its columns. */
const CONNECTION_SPOILED = new Set(['Query read timeout', 'cached plan must not change result type']);

/** A statement with values, as a prepared one where it is worth it. */
const prepared = (given: unknown[]): unknown[] => {
  const [text, values] = given;
  if (typeof text !== 'string' || !Array.isArray(values) || values.length === 0 || given.length > 2) return given;
  const name = statementName(text);
  return name === undefined ? given : [{ name, text, values }];
};
