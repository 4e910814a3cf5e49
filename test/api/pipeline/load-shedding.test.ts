import { type AddressInfo, connect } from 'node:net';
import { promisify } from 'node:util';
import { SLOW_DATABASE, useOwnApi } from '../../support/api.ts';
import { makeMerchant, makeProgram } from '../../support/factories.ts';
import { parseResponse, requestText, sendRaw } from '../../support/raw-http.ts';
import { pause, until } from '../../support/until.ts';

const api = useOwnApi(SLOW_DATABASE);

/** A program whose changes wait for another transaction, until `release` is called. */
const lockProgram = async () => {
  const { key } = await makeMerchant(api.runtime);
  const { programId: id } = await makeProgram(api, key);
  const em = api.runtime.orm.em.fork();
  await em.begin();
  await em.execute('select from program where id = ? for update', [id]);
  return { key, id, release: () => em.rollback() };
};

const untilNobodyIsConnected = () =>
  until(
    'the server has closed all connections',
    () => promisify(api.app.server.getConnections.bind(api.app.server))(),
    (open) => open === 0,
  );

/** Requests that wait for a row of another transaction, until `release` is called. */
const openWaiting = async (count: number) => {
  const { key, id, release } = await lockProgram();
  const requests = Array.from({ length: count }, (_, n) =>
    api.call('PATCH', `/programs/${id}`, { key, body: { name: `Name ${n}` } }),
  );
  return { key, requests, release };
};

const countWaiting = async (): Promise<number> => {
  const waiting = `select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`;
  return (await api.runtime.orm.em.fork().execute(waiting)).length;
};

const listen = async (): Promise<number> => {
  if (!api.app.server.listening) await api.app.listen({ port: 0, host: '127.0.0.1' });
  return (api.app.server.address() as AddressInfo).port;
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
  await until('eight requests wait for their turn', countWaiting, (count) => count === 8);
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

it('a merchant whose callers hang up and come again does not hold up another merchant', async () => {
  const port = await listen();
  const { key, id, release } = await lockProgram();
  const { key: other } = await makeMerchant(api.runtime);
  const body = '{"name":"New"}';
  const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json', 'Content-Length': body.length };
  const open = () => {
    const sockets = Array.from({ length: 8 }, () => connect({ port, host: '127.0.0.1' }));
    for (const socket of sockets) socket.on('error', () => {}).write(requestText(`PATCH /api/v1/programs/${id}`, headers, body));
    return () => sockets.map((socket) => socket.resetAndDestroy());
  };
  const hangUp = open();
  await until('eight requests wait for their turn', countWaiting, (count) => count === 8);
  hangUp();
  await untilNobodyIsConnected();
  const hangUpAgain = open();
  await pause(500, 'those who came again would wait for the row too');
  expect(await countWaiting()).toBe(8);
  expect((await api.call('GET', '/programs', { key: other })).status).toBe(200);
  hangUpAgain();
  await release();
  expect((await api.call('GET', '/programs', { key })).status).toBe(200);
});

it('requests whose callers hang up while their key is looked up do not stay in flight', async () => {
  const port = await listen();
  const { key } = await makeMerchant(api.runtime);
  const em = api.runtime.orm.em.fork();
  await em.begin();
  await em.execute('lock table api_key in access exclusive mode');
  let received = 0;
  const count = () => received++;
  api.app.server.on('request', count);
  const sockets = Array.from({ length: 100 }, () => connect({ port, host: '127.0.0.1' }));
  for (const socket of sockets)
    socket.on('error', () => {}).write(requestText('GET /api/v1/me', { Authorization: `Bearer ${key}` }));
  await until('the server has read all requests', () => received === sockets.length);
  api.app.server.off('request', count);
  for (const socket of sockets) socket.resetAndDestroy();
  await untilNobodyIsConnected();
  await em.rollback();
  expect((await api.call('GET', '/me', { key })).status).toBe(200);
});

it('three merchants who send as much as they may at once do not shut out a fourth', async () => {
  const port = await listen();
  const keys: string[] = [];
  for (let n = 0; n < 4; n++) keys.push((await makeMerchant(api.runtime)).key);
  // From now on they are known without the database.
  for (const key of keys) await api.call('GET', '/programs', { key });
  const em = api.runtime.orm.em.fork();
  await em.begin();
  await em.execute('lock table program in access exclusive mode');
  const [fourth = '', ...busy] = keys;
  let rejected = 0;
  const send = async (key: string): Promise<number> => {
    const text = await sendRaw(port, requestText('GET /api/v1/programs', { Authorization: `Bearer ${key}` }));
    const { status } = parseResponse(text);
    if (status === 429) rejected++;
    return status;
  };
  // Each sends 97 requests. Admitted are 96, half of the 160 that are left, and then half of the remaining 80.
  const sent: Promise<number>[] = [];
  for (const [n, atLeast] of [1, 18, 75].entries()) {
    sent.push(...Array.from({ length: 97 }, () => send(busy[n] ?? '')));
    await until(
      `at least ${atLeast} requests are rejected`,
      () => rejected,
      (count) => count >= atLeast,
    );
  }
  const last = send(fourth);
  await em.rollback();
  expect(await last).toBe(200);
  await Promise.all(sent);
});
