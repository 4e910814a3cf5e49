import { connect } from 'node:net';
import { makeAffiliate, makeKey, makeMerchant, makeProgram } from '../support/factories.ts';
import { openProcessSystem } from '../support/processes.ts';
import { pause, until } from '../support/until.ts';
import { useForFile } from '../support/use-for-file.ts';

interface Line {
  level: number;
  msg: string;
  route?: string;
  status?: number;
  keyId?: string;
  merchantId?: string;
  profileId?: string;
}

const [DEBUG, INFO] = [20, 30];

const system = useForFile(async () => {
  const opened = await openProcessSystem();
  return { ...opened, process: await opened.startApi({ env: { LOG_LEVEL: 'debug' } }) };
});

const linesOf = async (): Promise<Line[]> =>
  (await system.process.log())
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line) as Line);

const waitFor = (isWanted: (line: Line) => boolean): Promise<Line> =>
  until(
    'the wanted line is logged',
    async () => (await linesOf()).find(isWanted),
    (line) => line !== undefined,
  ) as Promise<Line>;

const get = (path: string, key: string) => fetch(`${system.process.url}${path}`, { headers: { authorization: `Bearer ${key}` } });

it('H9: request lines name the key and its merchant or profile', async () => {
  const { key, keyId, merchantId } = await makeMerchant(system.runtime);
  const { programId } = await makeProgram(system, key);
  const { profileId } = await makeAffiliate(system.runtime, programId);
  const affiliate = await makeKey(system.runtime, { ownerId: profileId, keyType: 'affiliate' });
  expect((await get('/api/v1/me', key)).status).toBe(200);
  expect((await get('/api/v1/me', affiliate.key)).status).toBe(200);
  expect(await waitFor((line) => line.keyId === keyId)).toMatchObject({ level: INFO, route: '/api/v1/me', keyId, merchantId });
  const byAffiliate = await waitFor((line) => line.keyId === affiliate.keyId);
  expect(byAffiliate).toMatchObject({ level: INFO, profileId });
  expect(byAffiliate).not.toHaveProperty('merchantId');
});

it('a request line has the pattern of the path, and nothing that its sender wrote', async () => {
  const { key, keyId } = await makeMerchant(system.runtime);
  await get('/api/v1/affiliates?search=ada-lovelace', key);
  expect(await waitFor((line) => line.keyId === keyId)).toMatchObject({ level: INFO, route: '/api/v1/affiliates' });
  expect(await system.process.log()).not.toContain('lovelace');
});

it('H9: probes are logged at debug', async () => {
  expect((await fetch(`${system.process.url}/health/live`)).status).toBe(200);
  expect(await waitFor((line) => line.route === '/health/live')).toMatchObject({ level: DEBUG, status: 200 });
});

it('H13: a client that disconnects while it sends a body is logged at debug', async () => {
  const { key } = await makeMerchant(system.runtime);
  const socket = connect(Number(new URL(system.process.url).port), '127.0.0.1');
  socket.write(
    `POST /api/v1/programs HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${key}\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{"name"`,
  );
  await until('the start of the request is sent', () => socket.bytesWritten > 0);
  await pause(300, 'the server has begun to read the body');
  socket.resetAndDestroy();
  const line = await waitFor(({ msg }) => msg.startsWith('client disconnected'));
  expect(line).toMatchObject({ level: DEBUG });
  // A busy machine may take longer to reach Redis when the process starts.
  const errors = (await linesOf()).filter(({ level, msg }) => level > INFO && !msg.startsWith('redis unavailable'));
  expect(errors).toEqual([]);
});
