import { verifyLedger } from '../../src/domains/ledger/index.ts';
import { forkOf } from '../../src/platform/database/orm.ts';
import { execute, rows, sql } from '../../src/platform/database/sql.ts';
import { useOwnApi } from '../support/api.ts';
import { makeAffiliate, makeMerchant, makeProgram, sendSale, type TestProgram, unique } from '../support/factories.ts';
import { raceForBalance } from './support/race.ts';
import { operator } from './support/settled.ts';

/** C3: concurrent payouts of one affiliate's balance. */
const ROUNDS = 50;
const RACERS = 20;

const api = useOwnApi({ RAIL_PAYPAL: 'manual' }, { asOwner: true });
let program: TestProgram;
let key: string;
beforeAll(async () => {
  ({ key } = await makeMerchant(api.runtime));
  program = await makeProgram(api, key);
});

const makeMember = async (): Promise<string> => {
  const { affiliateId, code } = await makeAffiliate(api.runtime, program.programId, `ok+${unique()}`);
  for (const amount of [10_000, 7_500]) await sendSale(api, program, { amount, referralCode: code });
  return affiliateId;
};

it(`${RACERS} payouts race for one balance, ${ROUNDS} times: one succeeds, with the full balance`, async () => {
  for (let round = 0; round < ROUNDS; round++) {
    const affiliateId = await makeMember();
    const responses = await raceForBalance(RACERS, () =>
      api.call('POST', '/payouts', { key, body: { affiliateId, programId: program.programId } }),
    );
    expect(responses.filter((response) => response.status === 201).map((response) => response.data.amount)).toEqual([3_500]);
    const errors = responses
      .filter((response) => response.status !== 201)
      .map((response) => `${response.status} ${response.error.details.reason}`);
    expect(new Set(errors)).toEqual(new Set(['409 PAYOUT_IN_FLIGHT']));
  }
  expect(await verifyLedger(operator(api.runtime))).toEqual([]);
});

it('without the lock and the constraint the same race pays more than once', async () => {
  const { orm } = api.runtime;
  await execute(forkOf(orm), sql`create table naive_item (membership uuid, amount bigint, taken boolean not null default false)`);
  await execute(forkOf(orm), sql`create table naive_payout (membership uuid, amount bigint)`);
  const payNaively = async (membership: string): Promise<number> =>
    forkOf(orm).transactional(async (em) => {
      const inside = em as ReturnType<typeof forkOf>;
      const [balance] = await rows(
        inside,
        sql<{
          amount: number;
        }>`select coalesce(sum(amount), 0)::float8 as amount from naive_item where membership = ${membership}::uuid and not taken`,
      );
      if (!balance || balance.amount <= 0) return 0;
      await execute(inside, sql`insert into naive_payout values (${membership}::uuid, ${balance.amount})`);
      await execute(inside, sql`update naive_item set taken = true where membership = ${membership}::uuid`);
      return balance.amount;
    });
  let doubled = 0;
  for (let round = 0; round < ROUNDS; round++) {
    const membership = api.runtime.ids.next();
    await execute(forkOf(orm), sql`insert into naive_item values (${membership}::uuid, 2000), (${membership}::uuid, 1500)`);
    const paid = (await raceForBalance(RACERS, () => payNaively(membership))).filter((amount) => amount > 0);
    if (paid.length > 1) doubled++;
  }
  expect(doubled).toBeGreaterThan(0);
});
