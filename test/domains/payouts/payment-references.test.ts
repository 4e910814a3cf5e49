import { runSql } from '../../../src/local/stack/sql.ts';
import { migrate } from '../../../src/platform/database/migrate.ts';
import { useOwnApi } from '../../support/api.ts';
import { ownerUrlOf } from '../../support/many-commissions.ts';
import { makeManualPayout } from '../../support/payouts.ts';

const api = useOwnApi();
const asOwner = (...statements: string[]) => runSql(ownerUrlOf(api), ...statements);

test('payouts of the previous version get a reference, the oldest the lowest, also after an interrupted migration', async () => {
  const first = await makeManualPayout(api);
  const { merchantId, keyId, key } = first;
  const made = [first, await makeManualPayout(api, { merchant: { merchantId, keyId, key } }), await makeManualPayout(api)];
  const [interrupted] = made.slice(-1);
  await asOwner(
    'drop index payout_payment_reference',
    'alter table payout alter column payment_reference drop not null',
    `update payout set payment_reference = null, search_text = affiliate_code || e'\\n' where id <> '${interrupted?.payoutId}'`,
    // What an index leaves that was not finished.
    'create index payout_payment_reference on payout (payment_reference)',
    `update merchant set payment_prefix = 'OLD' where id = '${merchantId}'`,
    `delete from migration where name like '20261128200100%'`,
  );
  const before = (await interrupted?.read())?.paymentReference;
  expect(await migrate(ownerUrlOf(api))).toContain('20261128200100_references_of_payouts');
  const references = await Promise.all(made.map(async ({ read }) => (await read()).paymentReference as string));
  expect(references).toEqual([expect.stringMatching(/^OLD-\d+$/), expect.stringMatching(/^OLD-\d+$/), before]);
  const [lower = 0, higher = 0] = references.map((reference) => Number(reference.split('-')[1]));
  expect(lower).toBeLessThan(higher);
  const found = await api.call('GET', '/payouts', { key, query: { q: references[0] ?? '' } });
  expect(found.data.map(({ id }: { id: string }) => id)).toEqual([first.payoutId]);
  const [index] = await asOwner(
    `select indisunique as "isUnique", indisvalid as "isValid" from pg_index where indexrelid = 'payout_payment_reference'::regclass`,
  );
  expect(index).toEqual({ isUnique: true, isValid: true });
});

test('a process of the previous version creates payouts that have one too', async () => {
  const { payoutId } = await makeManualPayout(api);
  const [copy] = await asOwner(
    `insert into payout (id, merchant_id, program_id, affiliate_id, profile_id, amount, currency, status, method, rail, created_by, created_at, updated_at, failed_at)
      select uuidv7(), merchant_id, program_id, affiliate_id, profile_id, amount, currency, 'failed', method, rail, created_by, created_at, updated_at, created_at
      from payout where id = '${payoutId}' returning payment_reference as reference`,
  );
  expect(copy?.['reference']).toMatch(/^PAY-\d+$/);
});
