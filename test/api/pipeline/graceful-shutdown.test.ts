import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import { SLOW_DATABASE } from '../../support/api.ts';
import { makeMerchant } from '../../support/factories.ts';
import { createTestDatabase } from '../../support/stack/database.ts';
import { openAnotherApi } from './another-api.ts';

it('during graceful shutdown a process still responds, reports that it is not ready, and then accepts no connections', async () => {
  const database = await createTestDatabase();
  const { app, runtime, close } = await openAnotherApi(database.url, { env: SLOW_DATABASE });
  await app.listen({ host: '127.0.0.1', port: 0 });
  const { port } = app.server.address() as AddressInfo;
  const { key } = await makeMerchant(runtime);
  const ask = (path: string) =>
    fetch(`http://127.0.0.1:${port}${path}`, { headers: { authorization: `Bearer ${key}` } }).then(async (response) => ({
      status: response.status,
      connection: response.headers.get('connection'),
      body: await response.json(),
    }));
  expect(await ask('/health/ready')).toMatchObject({ status: 200, body: { status: 'ready' } });
  expect(await ask('/api/v1/me')).toMatchObject({ status: 200, connection: 'keep-alive' });
  const idle = connect({ port, host: '127.0.0.1' });
  await once(idle, 'connect');
  const idleEnded = once(idle, 'close');

  const closed = close();
  expect(await ask('/health/ready')).toMatchObject({ status: 503, connection: 'close', body: { status: 'stopping' } });
  expect(await ask('/api/v1/me')).toMatchObject({ status: 200, connection: 'close' });
  await closed;
  await idleEnded;
  await expect(ask('/api/v1/me')).rejects.toMatchObject({ cause: { code: 'ECONNREFUSED' } });
  await database.drop();
});
