import { BROWSER, click, makeShop, visitorId } from '../../api/tracking/support.ts';
import { useTestApi } from '../../support/api.ts';
import { makeKey } from '../../support/factories.ts';
import { recordStatements, type StatementsOf } from '../../support/statements.ts';

const api = useTestApi();
let statementsOf: StatementsOf;
beforeAll(async () => {
  statementsOf = await recordStatements(api);
});

/** The commands that `work` sends to Redis. */
const redisCommandsOf = async (work: () => Promise<unknown>): Promise<string[]> => {
  const { redis } = api.runtime;
  const names: string[] = [];
  const sendCommand = redis.sendCommand.bind(redis);
  redis.sendCommand = (command, ...rest) => {
    names.push(command.name);
    return sendCommand(command, ...rest);
  };
  await work();
  redis.sendCommand = sendCommand;
  return names;
};

it('a click costs one statement and one call to Redis: the first, a repeat, one that does not count, and a redirect', async () => {
  const shop = await makeShop(api);
  const repeated = { body: { visitorId: visitorId() } };
  const cases: Record<string, () => Promise<{ status: number }>> = {
    first: () => click(api, shop, repeated),
    repeat: () => click(api, shop, repeated),
    bot: () => click(api, shop, { headers: { 'user-agent': 'Googlebot/2.1' } }),
    'unknown code': () => click(api, shop, { body: { referralCode: 'nobody-has-this' } }),
    'foreign page': () => click(api, shop, { headers: { origin: 'https://other.example' } }),
    redirect: () => api.raw('GET', `/r/${shop.code}`, { headers: { 'user-agent': BROWSER } }),
  };
  // The script of the limit is loaded into Redis at its first use.
  await click(api, shop);
  for (const [name, send] of Object.entries(cases)) {
    let commands: string[] = [];
    const statements = await statementsOf(async () => {
      commands = await redisCommandsOf(send);
    });
    expect({ name, statements: statements.length, commands }).toEqual({ name, statements: 1, commands: ['evalsha'] });
  }
});

it('the tracking status and the clicks of an affiliate are one statement each', async () => {
  const shop = await makeShop(api);
  const { key } = await makeKey(api.runtime, { ownerId: shop.profileId, keyType: 'affiliate', scopes: ['stats:read'] });
  const reads = [
    () => api.call('GET', `/programs/${shop.programId}/tracking/status`, { key: shop.key }),
    () => api.call('GET', '/me/clicks', { key }),
  ];
  for (const read of reads) {
    // The first call looks up the key.
    expect((await read()).status).toBe(200);
    expect(await statementsOf(read)).toHaveLength(1);
  }
});
