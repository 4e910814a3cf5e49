import { randomUUID } from 'node:crypto';
import { type AddressInfo, connect } from 'node:net';
import { PAGES } from '../../src/console/pages/index.ts';
import { actingFor, makeMerchantActing, useConsole } from '../support/console.ts';
import { makeKey, makeMerchant, makeProgram } from '../support/factories.ts';
import { untilSomebodyWaits } from '../support/lock-waits.ts';
import { makeManualPayout } from '../support/payouts.ts';
import { pause, until } from '../support/until.ts';

const pages = useConsole(PAGES, { DATABASE_STATEMENT_TIMEOUT_MS: '10000' });
const { api, sessions } = pages;
const BY_HAND = '/console/pay/by-hand';

const ids = (count: number): string[] => Array.from({ length: count }, () => randomUUID());

test('a form with more than 100 ids is refused as a whole', async () => {
  const session = sessions.open({ merchant: await makeMerchantActing(pages) });
  const send = (payoutIds: string[]) => pages.post(BY_HAND, { payoutIds, done: 'process' }, { session });
  const refused = await send(ids(101));
  expect(refused.status).toBe(422);
  expect(refused.html).toContain('Payouts can have at most 100 at a time');
  expect((await send(ids(100))).status).toBe(303);
});

const statusOf = async (id: string): Promise<string> => {
  const { em } = api.runtime.context({ kind: 'system', name: 'test' });
  return (await em.execute('select status from payout where id = ?', [id]))[0]?.status;
};

test('a form whose sender hung up does nothing more', async () => {
  const first = await makeManualPayout(api);
  const { merchantId, keyId, key } = first;
  const second = await makeManualPayout(api, { merchant: { merchantId, keyId, key } });
  const session = sessions.open({ merchant: actingFor({ merchantId, keyId }) });
  const blocker = api.runtime.orm.em.fork();
  await blocker.begin();
  await blocker.execute('select from payout where id = ? for update', [first.payoutId]);
  if (!api.app.server.listening) await api.app.listen({ port: 0, host: '127.0.0.1' });
  const body = `payoutIds=${first.payoutId}&payoutIds=${second.payoutId}&done=process`;
  const head = [
    `POST ${BY_HAND} HTTP/1.1`,
    'Host: localhost:3000',
    'Origin: http://localhost:3000',
    'Sec-Fetch-Site: same-origin',
    `Cookie: tributary_session_3000=${session}`,
    'Content-Type: application/x-www-form-urlencoded',
    `Content-Length: ${body.length}`,
  ];
  const socket = connect((api.app.server.address() as AddressInfo).port, '127.0.0.1');
  socket.write(`${head.join('\r\n')}\r\n\r\n${body}`);
  await untilSomebodyWaits(api);
  socket.resetAndDestroy();
  await pause(100, 'the server notices that the connection has ended');
  await blocker.rollback();
  await until(
    'the first payout is begun',
    () => statusOf(first.payoutId),
    (status) => status === 'processing',
  );
  await pause(300, 'the second payout would be begun by now');
  expect(await statusOf(second.payoutId)).toBe('pending');
});

test('a key is revoked while all turns of the company are taken', async () => {
  const { key, merchantId } = await makeMerchant(api.runtime);
  const { programId } = await makeProgram(api, key);
  const blocker = api.runtime.orm.em.fork();
  await blocker.begin();
  await blocker.execute('select from program where id = ? for update', [programId]);
  const waiting = Array.from({ length: 8 }, (_, n) =>
    api.call('PATCH', `/programs/${programId}`, { key, body: { name: `Name ${n}` } }),
  );
  await untilSomebodyWaits(api, 8);
  const stolen = await makeKey(api.runtime, { ownerId: merchantId });
  const { key: other } = await makeKey(api.runtime, { ownerId: merchantId });
  const done = await Promise.race([
    api.call('DELETE', `/auth/keys/${stolen.keyId}`, { key: other }),
    pause(3_000, 'it would wait for its turn'),
  ]);
  await blocker.rollback();
  await Promise.all(waiting);
  expect(done).toMatchObject({ status: 200 });
});
