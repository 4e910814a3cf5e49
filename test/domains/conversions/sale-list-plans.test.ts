import { runSql } from '../../../src/local/stack/sql.ts';
import { useOwnApi } from '../../support/api.ts';
import { makeMerchant, makeProgram, sendSale } from '../../support/factories.ts';
import { ownerUrlOf } from '../../support/many-commissions.ts';
import { explain } from '../../support/plans.ts';
import { recordStatementsWithValues, type SentStatement } from '../../support/statements.ts';

const api = useOwnApi({ DATABASE_STATEMENT_TIMEOUT_MS: '60000' }, { asOwner: true });
const SALES = 100_000;
const PROGRAMS = 500;
let key: string;
let statementsOf: (work: () => Promise<unknown>) => Promise<SentStatement[]>;

/** A merchant with many programs, whose sales are those of the server. */
beforeAll(async () => {
  statementsOf = await recordStatementsWithValues(api);
  const merchant = await makeMerchant(api.runtime);
  key = merchant.key;
  const program = await makeProgram(api, key);
  await sendSale(api, program, { saleId: 'sale-wanted' });
  await runSql(
    ownerUrlOf(api),
    `set session_replication_role = 'replica'`,
    `insert into program select made.* from program p, generate_series(2, ${PROGRAMS}) n,
       jsonb_populate_record(p, jsonb_build_object('id', gen_random_uuid(), 'slug', 'many-' || n, 'portal_slug', null)) made`,
    `insert into sale select made.*
     from sale s, (select array_agg(id) as ids from program) p, generate_series(1, ${SALES}) n,
       jsonb_populate_record(s, jsonb_build_object('id', gen_random_uuid(), 'external_id', 'sale-' || n, 'customer_id', 'c-' || n,
         'program_id', ids[1 + n % ${PROGRAMS}])) made`,
    'vacuum analyze sale',
    'vacuum analyze program',
  );
});

it.each([
  ['/sales', 1],
  ['/conversions', 0],
])('among 100,000 sales of 500 programs, %s finds one by its external id without reading them all', async (path, found) => {
  const sent = await statementsOf(async () => {
    const { data, meta } = await api.call('GET', path, { key, query: { externalSaleId: 'sale-wanted' } });
    expect([data.length, meta.total]).toEqual([found, found]);
  });
  const plans = await Promise.all(
    sent.filter(({ text }) => /external_id"? =/.test(text)).map((statement) => explain(api, statement)),
  );
  expect(plans).not.toEqual([]);
  for (const plan of plans) expect(plan).not.toMatch(/Seq Scan[^{}]*"Relation Name":"sale"/);
});
