import { COUNT_MAX, MAX_PAYOUT_COMMISSIONS } from '../../../src/contracts/limits.ts';
import { payableItemsOf } from '../../../src/domains/conversions/index.ts';
import { runSql } from '../../../src/local/stack/sql.ts';
import { rows, sql } from '../../../src/platform/database/sql.ts';
import { useOwnApi } from '../../support/api.ts';
import { makePayable, sendRefund, sendSale, unique } from '../../support/factories.ts';
import { raise } from '../../support/flags.ts';
import { addCommissions, ownerUrlOf } from '../../support/many-commissions.ts';
import { planOf, rowsReadFrom } from '../../support/plans.ts';
import { recordStatementsWithValues, type SentStatement } from '../../support/statements.ts';

const api = useOwnApi({ RAIL_PAYPAL: 'manual' });
const em = () => api.runtime.context({ kind: 'system', name: 'test' }).em;
let statementsOf: (work: () => Promise<unknown>) => Promise<SentStatement[]>;
beforeAll(async () => {
  statementsOf = await recordStatementsWithValues(api);
});

type Payable = Awaited<ReturnType<typeof makePayable>>;

const oldest = async ({ affiliateId }: Payable, count: number): Promise<string[]> =>
  (
    await rows(
      em(),
      sql<{ id: string }>`select id from conversion where affiliate_id = ${affiliateId}::uuid order by id limit ${count}`,
    )
  ).map(({ id }) => id);

const pendingOf = async ({ key }: Payable) => (await api.call('GET', '/payouts/pending', { key })).data[0];

const itemsOf = ({ affiliateId }: Payable) => rows(em(), payableItemsOf(sql`${affiliateId}::uuid`));

const READ = new Set(['conversion', 'flag_conversion', 'flag', 'commission_adjustment']);

test('the list of pending payouts reads three rows for each commission that a flag holds', async () => {
  const HELD = 5_000;
  const member = await makePayable(api);
  await addCommissions(api, member, HELD + 50);
  await raise(api, member, { conversionIds: await oldest(member, HELD) });
  await runSql(ownerUrlOf(api), 'analyze conversion', 'analyze flag', 'analyze flag_conversion');
  const sent = await statementsOf(async () => {
    expect(await pendingOf(member)).toMatchObject({ pendingAmount: 51, heldAmount: 2_000 + HELD - 1, commissionCount: 51 });
  });
  const statement = sent.find(({ text }) => text.includes('ledger_balance'));
  if (!statement) throw new Error('the list was not read');
  expect(rowsReadFrom(await planOf(api, statement), READ)).toBeLessThan(3 * HELD + 200);
});

test('IN1: a page of held conversions reads of a flag what it shows, and its total what it counts', async () => {
  const HELD = 15_000;
  const member = await makePayable(api);
  await addCommissions(api, member, HELD);
  const all = await oldest(member, HELD);
  await raise(api, member, { conversionIds: all });
  await runSql(ownerUrlOf(api), 'analyze conversion', 'analyze flag', 'analyze flag_conversion');
  const sent = await statementsOf(async () => {
    const { data, meta } = await api.call('GET', '/conversions', { key: member.key, query: { held: 'true', limit: '100' } });
    expect(meta).toMatchObject({ total: COUNT_MAX, totalCapped: true, hasMore: true });
    expect(data.map(({ id }: { id: string }) => id)).toEqual(all.slice(-100).toReversed());
  });
  const statement = sent.find(({ text }) => text.includes('flag_conversion'));
  if (!statement) throw new Error('the list was not read');
  const read = rowsReadFrom(await planOf(api, statement), READ);
  expect(read).toBeGreaterThan(COUNT_MAX);
  expect(read).toBeLessThan(2 * COUNT_MAX + 1_000);
});

test('what is held by several flags, disputed, refunded or in a payout counts as it is paid', async () => {
  const member = await makePayable(api);
  await addCommissions(api, member, 20);
  const { key, affiliateId, programId } = member;
  const paid = await api.call('POST', '/payouts', { key, body: { affiliateId, programId } });
  for (const verb of ['process', 'complete']) await api.call('POST', `/payouts/${paid.data.id}/${verb}`, { key });
  await sendRefund(api, member.program, { saleId: member.saleId, amount: 5_000 });
  const refunded = `sale-${unique()}`;
  await sendSale(api, member.program, { saleId: refunded, amount: 10_000, referralCode: member.code });
  await sendRefund(api, member.program, { saleId: refunded, amount: 10_000 });
  await addCommissions(api, member, 3_000);
  // The paid ones and the refunded one are the first.
  const all = await oldest(member, 60);
  const unpaid = all.slice(22);
  await raise(api, member, { conversionIds: all });
  await raise(api, member, { type: 'manual_review', conversionIds: unpaid.slice(10) });
  const disputed = unpaid.slice(0, 5);
  await rows(em(), sql`update conversion set disputed_at = now() where id = any(${disputed}::uuid[]) returning id`);
  const items = await itemsOf(member);
  expect(await pendingOf(member)).toMatchObject({
    pendingAmount: items.reduce((sum, { amount }) => sum + amount, 0),
    commissionCount: items.length,
    heldAmount: unpaid.length,
  });
  expect(items).toHaveLength(3_000 - unpaid.length + 1);
});

test('the number of commissions ends at the maximum of a payout, whatever is held before them', async () => {
  const member = await makePayable(api);
  const HELD = 300;
  await addCommissions(api, member, MAX_PAYOUT_COMMISSIONS + HELD - 2);
  await raise(api, member, { conversionIds: await oldest(member, HELD) });
  expect((await pendingOf(member)).commissionCount).toBe(MAX_PAYOUT_COMMISSIONS - 1);
  await addCommissions(api, member, 50);
  expect((await pendingOf(member)).commissionCount).toBe(MAX_PAYOUT_COMMISSIONS);
  expect(await itemsOf(member)).toHaveLength(MAX_PAYOUT_COMMISSIONS);
});

/** Adds confirmed flags of other affiliates. */
const addConfirmedFlags = ({ merchantId, programId }: Payable, count: number) =>
  runSql(
    ownerUrlOf(api),
    'begin',
    `set local session_replication_role = 'replica'`,
    `insert into flag (id, merchant_id, program_id, affiliate_id, type, status, conversion_count, created_at, newest_evidence_at, due_at,
        resolved_at, hold_ended_at, updated_at)
      select uuidv7(), '${merchantId}', '${programId}', uuidv7(), 'manual_review', 'confirmed', 0, now(), now(), now(), now(), now(), now()
      from generate_series(1, ${count})`,
    'commit',
  );

test('the flags of an affiliate are looked up by what they are about, however large a payout that comes back is', async () => {
  const COUNT = 3_000;
  const member = await makePayable(api);
  await addCommissions(api, member, COUNT);
  const { key, affiliateId, programId } = member;
  const { data } = await api.call('POST', '/payouts', { key, body: { affiliateId, programId } });
  const act = (verb: string, body = {}) => api.call('POST', `/payouts/${data.id}/${verb}`, { key, body });
  for (const verb of ['process', 'complete']) await act(verb);
  await addConfirmedFlags(member, COUNT);
  await runSql(ownerUrlOf(api), 'analyze conversion', 'analyze flag', 'analyze flag_conversion', 'analyze payout_item');
  const sent = await statementsOf(async () => {
    expect((await act('return', { note: 'The account is closed' })).data).toMatchObject({ failureCode: 'returned' });
  });
  const statement = sent.find(({ text }) => text.includes('set hold_ended_at = null'));
  if (!statement) throw new Error('no flag was looked for');
  expect(rowsReadFrom(await planOf(api, statement), new Set(['conversion', 'flag_conversion', 'payout_item']))).toBeLessThan(
    COUNT / 2,
  );
});
