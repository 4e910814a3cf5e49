import { listAs, makePublicShop } from '../../api/marketplace/support.ts';
import { useOwnApi } from '../../support/api.ts';
import { makeAffiliateKey } from '../../support/factories.ts';
import { explain } from '../../support/plans.ts';
import { rowsOf } from '../../support/rail-payouts.ts';
import { recordStatementsWithValues, type SentStatement } from '../../support/statements.ts';

const api = useOwnApi({ DATABASE_STATEMENT_TIMEOUT_MS: '60000' }, { asOwner: true });
const PROGRAMS = 10_000;
let key: string;
let statementsOf: (work: () => Promise<unknown>) => Promise<SentStatement[]>;

beforeAll(async () => {
  statementsOf = await recordStatementsWithValues(api);
  const { profileId, programId } = await makePublicShop(api, { marketplaceCategory: 'Common' });
  key = await makeAffiliateKey(api.runtime, profileId);
  await rowsOf(
    api,
    `insert into merchant select made.*
     from merchant m, generate_series(2, 1000) n,
       jsonb_populate_record(m, jsonb_build_object('id', gen_random_uuid(), 'company_name', 'Company ' || n)) made`,
  );
  // The counter of a merchant's programs is one row for all of them: too slow for so many at once.
  await rowsOf(api, 'alter table program disable trigger program_counted');
  await rowsOf(
    api,
    `insert into program select made.*
     from program p, generate_series(2, ?) n, jsonb_populate_record(p, jsonb_build_object(
       'id', gen_random_uuid(), 'slug', 'many-' || n, 'portal_slug', null, 'commission_percent', 1 + n % 99,
       'merchant_id', (select array_agg(id) from merchant)[1 + n % 1000], 'created_at', p.created_at - n * interval '1 minute',
       'marketplace_status', case when n % 4 = 0 then 'public' else 'private' end,
       'marketplace_category', case when n % 100 = 0 then 'Rare' else 'Common' end)) made
     where p.id = ?`,
    [PROGRAMS, programId],
  );
  await rowsOf(
    api,
    `update marketplace_listing set is_ready = true, epc = (random() * 50000)::int, conversion_rate = (random() * 1000)::int`,
  );
  for (const table of ['program', 'merchant', 'marketplace_listing']) await rowsOf(api, `vacuum analyze ${table}`);
});

const QUERIES = ['epc', 'conversionRate', 'commission', 'newest'].flatMap((sort): Record<string, string>[] => [
  { sort },
  { sort, limit: '50' },
  { sort, category: 'rare' },
  { sort, category: 'common' },
  { sort, minEpc: '4.9', minCommission: '50' },
  { sort, category: 'common', minEpc: '1', offset: '40' },
]);

it.each(QUERIES)(
  'with 10,000 programs, a quarter of them public, %j is one statement without a sequential scan, also on its next page',
  async (query) => {
    const listed: Awaited<ReturnType<typeof listAs>>[] = [];
    const list = async (more: Record<string, string>) => {
      const sent = await statementsOf(async () => listed.push(await listAs(api, key, { ...query, ...more })));
      expect(listed.at(-1)?.status).toBe(200);
      return sent.filter(({ text }) => text.includes('marketplace_listing'));
    };
    const sent = await list({});
    const cursor = listed[0]?.meta.nextCursor;
    if (cursor !== undefined && !('offset' in query)) sent.push(...(await list({ cursor })));
    expect(sent).toHaveLength(listed.length);
    for (const statement of sent) expect(await explain(api, statement)).not.toContain('Seq Scan');
  },
);

it('the programs to refresh are found without a sequential scan', async () => {
  await rowsOf(api, `update marketplace_refresh set due_at = '2999-01-01'`);
  await rowsOf(api, 'vacuum analyze marketplace_refresh');
  const plan = await rowsOf(
    api,
    `explain (format json) select program_id from marketplace_refresh where is_public and due_at <= now()
     order by due_at, program_id limit 100 for update skip locked`,
  );
  expect(JSON.stringify(plan)).toContain('marketplace_refresh_due');
});
