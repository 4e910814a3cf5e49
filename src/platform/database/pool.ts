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
 * Two things that the layers above leave undone. A transaction whose connection died is never given back, because its
 * rollback fails first: after `max` of them the pool would be empty for good. And a statement that the driver stopped
 * waiting for still runs on its connection, whose next user would inherit it and its transaction. So a connection that
 * ends gives itself back, and one whose statement timed out is closed.
 */
export const keepWhole = (pool: ClientPool): void => {
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
    closeAfterTimeout(client);
  });
};

const closeAfterTimeout = (client: PooledClient): void => {
  const query = client.query.bind(client);
  client.query = (...given) => {
    const answer = query(...given);
    if (answer instanceof Promise) {
      answer.catch((error: unknown) => {
        if (error instanceof Error && error.message === 'Query read timeout') void client.end();
      });
    }
    return answer;
  };
};
