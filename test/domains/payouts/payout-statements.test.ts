import type { PostgreSqlConnection } from '@mikro-orm/postgresql';
import { payByRail, railSteps, transferOf, useRailApi } from '../../support/rail-payouts.ts';

type Statement = string | { text: string };
interface CountedClient {
  query(statement: Statement, ...rest: unknown[]): unknown;
}
interface CountedPool {
  on(event: 'acquire', listener: (client: CountedClient) => void): void;
}

const api = useRailApi();
const sent: string[] = [];

beforeAll(async () => {
  const pool = (await (api.runtime.orm.em.getConnection() as PostgreSqlConnection).getNativeClient()) as unknown as CountedPool;
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
});

/** The statements that `work` sends, `begin` and `commit` included. */
const statementsOf = async (work: () => Promise<unknown>): Promise<string[]> => {
  sent.length = 0;
  await work();
  return [...sent];
};

const countLocking = (statements: readonly string[]): number =>
  statements.filter((text) => /\bfor (no key )?update\b/i.test(text)).length;

it('a payout takes a bounded number of statements, one of them locking in each transaction, and no value is in their text', async () => {
  api.provider.onSubmit((order) => transferOf(order, 'accepted'));
  const { affiliateId, programId, key, act } = await payByRail(api);
  await act('cancel');
  let payoutId = '';
  const create = await statementsOf(async () => {
    const created = await api.call('POST', '/payouts', { key, body: { affiliateId, programId } });
    payoutId = created.data.id;
  });
  const { send, notify, load } = railSteps(api, payoutId, key);
  const steps = {
    create,
    send: await statementsOf(send),
    notify: await statementsOf(() => notify('paid')),
    repeat: await statementsOf(() => notify('paid')),
  };
  expect(await load()).toMatchObject({ status: 'completed' });
  const counts = Object.fromEntries(Object.entries(steps).map(([step, statements]) => [step, statements.length]));
  const locking = Object.fromEntries(Object.entries(steps).map(([step, statements]) => [step, countLocking(statements)]));
  const bounds = { create: 12, send: 16, notify: 12, repeat: 2 };
  expect(Object.entries(bounds).filter(([step, bound]) => (counts[step] ?? 0) > bound)).toEqual([]);
  // Each transaction locks once, and a notification that changes nothing not at all.
  expect(locking).toEqual({ create: 1, send: 2, notify: 1, repeat: 0 });
  const all = Object.values(steps).flat();
  expect(all.filter((text) => [payoutId, affiliateId, programId].some((value) => text.includes(value)))).toEqual([]);
});
