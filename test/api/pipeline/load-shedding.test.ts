import { SLOW_DATABASE, useTestApi } from '../../support/api.ts';
import { makeMerchant, makeProgram } from '../../support/factories.ts';
import { until } from '../../support/system.ts';

const api = useTestApi(SLOW_DATABASE);

/** Requests that wait for a row of another transaction, until `release` is called. */
const openWaiting = async (count: number) => {
  const { key } = await makeMerchant(api.runtime);
  const { programId: id } = await makeProgram(api, key);
  const em = api.runtime.orm.em.fork();
  await em.begin();
  await em.execute('select from program where id = ? for update', [id]);
  const requests = Array.from({ length: count }, (_, n) =>
    api.call('PATCH', `/programs/${id}`, { key, body: { name: `Name ${n}` } }),
  );
  return { key, requests, release: () => em.rollback() };
};

it('one merchant whose requests all wait for the database does not hold up another merchant', async () => {
  const { requests, release } = await openWaiting(30);
  const { key: other } = await makeMerchant(api.runtime);
  expect((await api.call('GET', '/programs', { key: other })).status).toBe(200);
  await release();
  expect(new Set((await Promise.all(requests)).map(({ status }) => status))).toEqual(new Set([200]));
});

it('a request that waited five seconds for its turn is rejected with 429 OVERLOADED and changes nothing', async () => {
  const { key, requests, release } = await openWaiting(8);
  const waiting = `select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`;
  await until(
    () => api.runtime.orm.em.fork().execute(waiting),
    (found) => found.length === 8,
  );
  const { status, error, headers } = await api.call('POST', '/programs', {
    key,
    body: { name: 'Late', commissionType: 'recurring', commissionPercent: 20 },
  });
  expect([status, error.details.reason, headers['retry-after']]).toEqual([429, 'OVERLOADED', '1']);
  await release();
  await Promise.all(requests);
  const { data } = await api.call('GET', '/programs', { key });
  expect(data.map(({ name }: { name: string }) => name)).not.toContain('Late');
});
