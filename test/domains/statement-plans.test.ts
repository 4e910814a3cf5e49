import { rows, sql } from '../../src/platform/database/sql.ts';
import { useOwnApi } from '../support/api.ts';
import { makeAffiliate, makeMerchant, makePayable, makeProgram, saleEvent, sendUnscreened } from '../support/factories.ts';
import { recordStatements } from '../support/statements.ts';

// One connection, which tells how often it planned each of its statements.
const api = useOwnApi({ DATABASE_POOL: '1' });

/** The server plans the first five uses of a statement for their values. */
const USES = 5;

const plannedEachTime = (): Promise<{ statement: string }[]> =>
  rows(
    api.runtime.context({ kind: 'system', name: 'test' }).em,
    sql<{ statement: string }>`select statement from pg_prepared_statements where custom_plans > ${USES}`,
  );

it('the statements of a sale are not planned again for each sale', async () => {
  const { key } = await makeMerchant(api.runtime);
  const program = await makeProgram(api, key);
  const { code } = await makeAffiliate(api.runtime, program.programId);
  for (let sale = 0; sale < 2 * USES; sale++) {
    const recorded = await sendUnscreened(api, program, saleEvent({ referralCode: code }));
    expect(recorded.data.outcome).toBe('recorded');
  }
  expect(await plannedEachTime()).toEqual([]);
});

it('the statements of a payout are not planned again for each payout', async () => {
  const merchant = await makeMerchant(api.runtime);
  const statementsOf = await recordStatements(api);
  const sent = new Set<string>();
  for (let payout = 0; payout < 2 * USES; payout++) {
    const { key, affiliateId, programId } = await makePayable(api, { merchant });
    const statements = await statementsOf(async () => {
      const created = await api.call('POST', '/payouts', { key, body: { affiliateId, programId } });
      expect(created.status).toBe(201);
    });
    for (const text of statements) sent.add(text);
  }
  expect((await plannedEachTime()).filter(({ statement }) => sent.has(statement))).toEqual([]);
});
