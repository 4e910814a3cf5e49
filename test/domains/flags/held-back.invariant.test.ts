import { approveCommissions } from '../../../src/domains/conversions/use-cases/approve-commissions.ts';
import { recordDispute } from '../../../src/domains/conversions/use-cases/record-dispute.ts';
import { verifyLedger } from '../../../src/domains/ledger/index.ts';
import { useOwnApi } from '../../support/api.ts';
import { makePayable, sendSale } from '../../support/factories.ts';
import { flagActions, raise } from '../../support/flags.ts';
import { addCommissions } from '../../support/many-commissions.ts';
import { countRowsRead } from '../../support/plans.ts';
import { rowsOf } from '../../support/rail-payouts.ts';
import { recordStatementsWithValues, type SentStatement } from '../../support/statements.ts';

const api = useOwnApi({}, { asOwner: true });
let statementsOf: (work: () => Promise<unknown>) => Promise<SentStatement[]>;
beforeAll(async () => {
  statementsOf = await recordStatementsWithValues(api);
});

const context = () => api.runtime.context({ kind: 'system', name: 'test' });
const run = () => approveCommissions(context(), { limit: 200 });
const runAll = async (): Promise<number> => {
  for (let released = 0; ; ) {
    const result = await run();
    released += result.released;
    if (!result.more) return released;
  }
};

const HELD_DAYS = { program: { commissionHoldDays: 30 } };

/** A pending commission that flags hold, and whose hold period is over. */
const makeHeld = async (flags = 1) => {
  const own = await makePayable(api, HELD_DAYS);
  const ids: string[] = [];
  for (const type of (['self_referral', 'conversion_anomaly'] as const).slice(0, flags))
    ids.push((await raise(api, own, { type })).flagId);
  await rowsOf(api, `update conversion set release_at = now() - interval '1 minute' where id = ?`, [own.conversionId]);
  const resolve = (at: number, status = 'dismissed') => flagActions(api, own, ids[at] ?? '').resolve(status);
  const { conversion } = flagActions(api, own, '');
  const status = async () => (await conversion()).status;
  const isHeldBack = async () =>
    (await rowsOf(api, 'select held_back from conversion where id = ?', [own.conversionId]))[0]?.held_back;
  return { ...own, resolve, status, isHeldBack };
};

/** Rows that a run reads before it finds that there is nothing to release. */
const rowsReadByRun = async (): Promise<number> => {
  const sent = await statementsOf(run);
  const [statement, ...more] = sent.filter(({ text }) => text.includes('release_at') && text.startsWith('(select'));
  if (!statement || more.length > 0) throw new Error('a run reads what is due by one statement');
  return countRowsRead(api, statement);
};

/** Takes the approval of an affiliate's commissions back, in the books too. */
const makePending = async (affiliateId: string): Promise<void> => {
  await rowsOf(api, `update conversion set status = 'pending', approved_at = null where affiliate_id = ?`, [affiliateId]);
  await rowsOf(
    api,
    `with moved as (update ledger_balance set pending = payable, payable = 0 where affiliate_id = ? returning *),
      transaction as (select gen_random_uuid() as id)
     insert into ledger_entry (transaction_id, kind, account, owner_id, program_id, merchant_id, currency, amount, reference_id, booked_on, created_at)
     select t.id, 'approval', line.account, m.affiliate_id, m.program_id, m.merchant_id, m.currency, line.sign * m.pending, m.affiliate_id, current_date, now()
     from moved m, transaction t, (values ('pending', 1), ('payable', -1)) as line (account, sign)`,
    [affiliateId],
  );
};

test('what a flag holds is read by the runs that hold it back, by no later one, and released once the hold has ended', async () => {
  const held = await makePayable(api);
  await addCommissions(api, held, 600);
  const { affiliateId } = held;
  await makePending(affiliateId);
  const all = await rowsOf(api, 'select id from conversion where affiliate_id = ?', [affiliateId]);
  const { flagId } = await raise(api, held, { conversionIds: all.map(({ id }) => id) });
  expect(await runAll()).toBe(0);
  await rowsOf(api, 'vacuum analyze conversion');
  expect(await rowsReadByRun()).toBe(0);

  const other = await makePayable(api, HELD_DAYS);
  await rowsOf(api, `update conversion set release_at = now() - interval '1 second' where id = ?`, [other.conversionId]);
  expect(await run()).toEqual({ released: 1, more: false, failed: [] });

  const { resolve } = flagActions(api, held, flagId);
  expect((await resolve('dismissed')).status).toBe(200);
  const approved = async () =>
    (await rowsOf(api, `select 1 from conversion where affiliate_id = ? and status = 'approved'`, [affiliateId])).length;
  expect(await approved()).toBe(200);
  expect(await runAll()).toBe(401);
  expect([await approved(), await run()]).toEqual([601, { released: 0, more: false, failed: [] }]);
  expect(await rowsOf(api, 'select 1 from held_back_affiliate where is_due')).toEqual([]);
  expect(await verifyLedger(context())).toEqual([]);
});

test('of two flags, the one whose hold ends last releases the commission', async () => {
  const { resolve, status, isHeldBack } = await makeHeld(2);
  expect([await runAll(), await isHeldBack()]).toEqual([0, true]);
  await resolve(0);
  expect([await runAll(), await status()]).toEqual([0, 'pending']);
  await resolve(1);
  expect(await status()).toBe('approved');
  expect(await verifyLedger(context())).toEqual([]);
});

test('a confirmed flag rejects what was held back', async () => {
  const { resolve, status } = await makeHeld();
  await runAll();
  await resolve(0, 'confirmed');
  expect([await runAll(), await status()]).toEqual([0, 'rejected']);
  expect(await verifyLedger(context())).toEqual([]);
});

test('a release and a resolution at the same time lose no commission', async () => {
  for (let round = 0; round < 12; round++) {
    const { resolve, status } = await makeHeld();
    await Promise.all([run(), resolve(0), run()]);
    await runAll();
    expect(await status()).toBe('approved');
  }
  expect(await verifyLedger(context())).toEqual([]);
});

test('what is due while its affiliate is blocked is held back too, and approved with the others when the block ends', async () => {
  const { affiliateId, key, program, code, conversionId, status, resolve, isHeldBack } = await makeHeld();
  await sendSale(api, program, { referralCode: code });
  await rowsOf(api, `update conversion set release_at = now() - interval '1 second' where affiliate_id = ?`, [affiliateId]);
  await api.call('POST', `/affiliates/${affiliateId}/block`, { key });
  expect([await runAll(), await isHeldBack()]).toEqual([0, true]);
  await resolve(0);
  expect([await runAll(), await status()]).toEqual([0, 'pending']);
  await api.call('POST', `/affiliates/${affiliateId}/unblock`, { key });
  const { data } = await api.call('GET', '/conversions', { key });
  expect(data.map((one: { status: string }) => one.status)).toEqual(['approved', 'approved']);
  expect(data.map((one: { id: string }) => one.id)).toContain(conversionId);
  expect(await verifyLedger(context())).toEqual([]);
});

test('the end of a dispute brings back what was held back', async () => {
  const { programId, saleId, resolve, status } = await makeHeld();
  await runAll();
  const dispute = async (as: 'opened' | 'closed') =>
    recordDispute(context(), {
      sale: { programId, provider: 'events', externalId: saleId },
      disputeId: `dispute-${saleId}`,
      status: as,
      disputedGross: 10_000,
      chargedGross: null,
      occurredAt: new Date(),
    });
  await dispute('opened');
  await resolve(0);
  expect([await runAll(), await status()]).toEqual([0, 'pending']);
  await dispute('closed');
  expect([await runAll(), await status()]).toEqual([1, 'approved']);
  expect(await verifyLedger(context())).toEqual([]);
});
