import { openPool } from '../../../bench/support/pg.ts';
import { seedMembers, seedProgram } from '../../../bench/support/seed.ts';
import { MAX_UNANSWERED } from '../../../src/contracts/workflows/payout-runs.ts';
import { verifyLedger } from '../../../src/domains/ledger/index.ts';
import { cancelRunPayouts, checkRun, createRunPayouts } from '../../../src/domains/payout-runs/index.ts';
import type { Context } from '../../../src/platform/context.ts';
import { makeMerchant, sendSale } from '../../support/factories.ts';
import { ownerUrlOf } from '../../support/many-commissions.ts';
import { draftRun, makePayees } from '../../support/payout-runs.ts';
import { railSteps, rowsOf, transferOf, useRailApi } from '../../support/rail-payouts.ts';

const api = useRailApi();

const context = (): Context => api.runtime.context({ kind: 'system', name: 'payoutRun' });

/** As `context`, with a lost connection when the `n`th id is made: of payouts, then of their transfers, then of their timelines. */
const lostAt = (n: number): Context => {
  const ctx = context();
  let left = n - 1;
  const next = (): string => {
    if (left-- === 0) throw Object.assign(new Error('failed by the test'), { code: '57P01' });
    return ctx.ids.next();
  };
  return { ...ctx, em: ctx.em, ids: { next } };
};

/** While `work` goes on, the database refuses to enqueue the workflow of a payout of this affiliate. */
const refusingToAnnounce = async (affiliateId: string, work: () => Promise<void>): Promise<void> => {
  const database = openPool(ownerUrlOf(api), 1);
  const run = (text: string) => database.query({ name: '', text, values: [] });
  await run(`create function refuse() returns trigger language plpgsql as $$ begin raise exception 'failed by the test'; end $$`);
  await run(`create trigger refuse before insert on outbox for each row
    when (new.topic = 'payout.start' and new.payload->>'affiliateId' = '${affiliateId}') execute function refuse()`);
  try {
    await work();
  } finally {
    await run('drop function refuse cascade');
    await database.end();
  }
};

const confirmed = async (count: number, more: Record<string, unknown> = {}) => {
  const own = await makePayees(
    api,
    Array.from({ length: count }, () => ({ amount: 10_000 })),
  );
  const run = await draftRun(api, own, more);
  const create = (ctx = context()) => createRunPayouts(ctx, { runId: run.runId });
  const payouts = () =>
    rowsOf(api, 'select affiliate_id, amount::int, status from payout where payout_run_id = ? order by affiliate_id', [
      run.runId,
    ]);
  return { ...own, ...run, create, payouts };
};

test('a page that is carried out twice at once, and again, pays each affiliate once', async () => {
  const { confirm, create, payouts, payees } = await confirmed(3);
  await confirm();
  await Promise.all([create(), create(), create()]);
  await create();
  expect(await payouts()).toEqual(
    payees
      .map(({ affiliateId }) => ({ affiliate_id: affiliateId, amount: 2_000, status: 'pending' }))
      .sort((a, b) => (a.affiliate_id < b.affiliate_id ? -1 : 1)),
  );
  expect(await verifyLedger(context())).toEqual([]);
});

test('a payout of a run that is cancelled before its first attempt fails, and nothing is sent', async () => {
  const { confirm, create, act, key, runId } = await confirmed(1);
  await confirm();
  await create();
  const [payout] = await rowsOf(api, 'select id from payout where payout_run_id = ?', [runId]);
  await act('cancel');
  const { send } = railSteps(api, payout.id, key);
  expect(await send()).toMatchObject({ status: 'failed', failureCode: 'cancelled', attemptId: null });
  expect(api.provider.orders.filter(({ reference }) => reference === payout.id)).toEqual([]);
  expect(await verifyLedger(context())).toEqual([]);
});

test('a lost connection rolls the whole page back, and its repetition creates all', async () => {
  const { confirm, create, payouts, itemsOf } = await confirmed(3);
  await confirm();
  await expect(create(lostAt(9))).rejects.toThrow('failed by the test');
  expect(await payouts()).toEqual([]);
  expect((await itemsOf()).map(({ result }: { result: string }) => result)).toEqual(['planned', 'planned', 'planned']);
  await create();
  expect(await payouts()).toHaveLength(3);
});

test('an error of ours at one item leaves it planned and stops no other', async () => {
  const { confirm, create, payouts, payees } = await confirmed(3);
  await confirm();
  const [, broken] = payees.map(({ affiliateId }) => affiliateId).sort();
  const details = `select payout_details from affiliate_profile where id = (select profile_id from affiliate where id = ?)`;
  const [stored] = await rowsOf(api, details, [broken]);
  const setDetails = (to: unknown) =>
    rowsOf(api, 'update affiliate_profile set payout_details = ? where id = (select profile_id from affiliate where id = ?)', [
      to,
      broken,
    ]);
  await setDetails('unreadable');
  expect(await create()).toMatchObject({ stuck: 1, status: 'running', shares: [{ planned: 1, payouts: 2 }] });
  expect((await payouts()).map(({ affiliate_id }) => affiliate_id)).not.toContain(broken);
  await setDetails(stored?.payout_details);
  expect(await create()).toMatchObject({ stuck: 0, shares: [{ planned: 0, payouts: 3 }] });
  expect(await verifyLedger(context())).toEqual([]);
});

test('a payout that cannot be announced stays planned, and the others of its page are created once', async () => {
  const { confirm, create, payouts, payees } = await confirmed(3);
  await confirm();
  const broken = payees[1]?.affiliateId ?? '';
  await refusingToAnnounce(broken, async () => {
    expect(await create()).toMatchObject({ stuck: 1, shares: [{ planned: 1, payouts: 2 }] });
    const created = await payouts();
    expect(created.map(({ affiliate_id }) => affiliate_id)).not.toContain(broken);
    expect(await create()).toMatchObject({ stuck: 1, shares: [{ planned: 1, payouts: 2 }] });
    expect(await payouts()).toEqual(created);
  });
  expect(await create()).toMatchObject({ stuck: 0, shares: [{ planned: 0, payouts: 3 }] });
  const started = `select count(*)::int as count from outbox where topic = 'payout.start' and payload->>'affiliateId' in (?)`;
  expect(await rowsOf(api, started, [payees.map(({ affiliateId }) => affiliateId)])).toEqual([{ count: 3 }]);
  expect(await verifyLedger(context())).toEqual([]);
});

test('what is earned after the draft is not in the run, what is deducted is', async () => {
  const { confirm, create, payouts, payees, program, key } = await confirmed(2);
  const [earner, debtor] = payees;
  await confirm();
  const sale = await sendSale(api, program, { saleId: 'later', amount: 50_000, referralCode: earner?.code ?? '' });
  expect(sale.data?.outcome).toBe('recorded');
  await api.call('POST', `/affiliates/${debtor?.affiliateId}/adjustments`, {
    key,
    body: { kind: 'clawback', amount: -500, note: 'Agreed with the affiliate' },
  });
  await create();
  const paid = Object.fromEntries((await payouts()).map(({ affiliate_id, amount }) => [affiliate_id, amount]));
  expect([paid[earner?.affiliateId ?? ''], paid[debtor?.affiliateId ?? '']]).toEqual([2_000, 1_500]);
  expect(await verifyLedger(context())).toEqual([]);
});

test('nothing is created before the confirmation, while it is paused, or after it was cancelled', async () => {
  const { act, confirm, create, payouts, runId, itemsOf } = await confirmed(2);
  await create();
  await confirm();
  await act('pause');
  expect(await create()).toMatchObject({ status: 'paused', shares: [{ planned: 2, payouts: 0 }] });
  await act('cancel');
  expect(await create()).toMatchObject({ status: 'cancelled' });
  expect(await cancelRunPayouts(context(), { runId })).toMatchObject({ leftOut: [{ code: 'RUN_CANCELLED', count: 2 }] });
  expect((await itemsOf()).map(({ reason }: { reason: string }) => reason)).toEqual(['RUN_CANCELLED', 'RUN_CANCELLED']);
  expect(await payouts()).toEqual([]);
});

test('B3: whoever chose another method after the draft is not paid to the account that they left', async () => {
  const { confirm, create, itemsOf, payees } = await confirmed(2, { method: 'paypal' });
  await confirm();
  const { profileId, affiliateId } = payees[0] ?? { profileId: '', affiliateId: '' };
  const { cipher } = context();
  const place = { table: 'affiliate_profile', column: 'payout_details', row: profileId };
  const [stored] = await rowsOf(api, 'select payout_details from affiliate_profile where id = ?', [profileId]);
  const details = {
    ...JSON.parse(cipher.decrypt(stored.payout_details, place)),
    method: 'bank_transfer',
    bankAccountHolder: 'Ada Test',
    bankIban: 'DE89370400440532013000',
  };
  await rowsOf(
    api,
    `update affiliate_profile set payout_method = 'bank_transfer', payout_details = ?, payout_details_changed_at = null where id = ?`,
    [cipher.encrypt(JSON.stringify(details), place), profileId],
  );
  await create();
  const reasons = (await itemsOf()).map((item: { affiliateId: string; reason: string | null }) => [
    item.affiliateId,
    item.reason,
  ]);
  expect(Object.fromEntries(reasons)).toMatchObject({ [affiliateId]: 'DETAILS_CHANGED', [payees[1]?.affiliateId ?? '']: null });
});

test('at most 200 payouts wait for the answer of a provider, and each answer lets another one follow', async () => {
  const { runtime } = api;
  const { merchantId, key } = await makeMerchant(runtime);
  const database = openPool(ownerUrlOf(api), 1);
  const programId = await seedProgram(runtime, database, merchantId);
  await seedMembers(runtime, database, { merchantId, programId, count: MAX_UNANSWERED + 5 }).finally(() => database.end());
  const { runId, confirm } = await draftRun(api, { key, programId });
  await confirm();
  const create = () => createRunPayouts(context(), { runId });
  expect(await create()).toMatchObject({ shares: [{ payouts: MAX_UNANSWERED, unanswered: MAX_UNANSWERED, planned: 5 }] });
  api.provider.onSubmit((order) => transferOf(order, 'accepted'));
  const first = await rowsOf(api, 'select id from payout where payout_run_id = ? order by id limit 3', [runId]);
  for (const { id } of first) await railSteps(api, id, key).send();
  expect(await create()).toMatchObject({ shares: [{ payouts: MAX_UNANSWERED + 3, unanswered: MAX_UNANSWERED, planned: 2 }] });
  expect(await checkRun(context(), { runId })).toMatchObject({ status: 'running' });
});

test('a run whose payments the provider has accepted holds up no other run, and one with a payment to begin does', async () => {
  const { confirm, create, key, runId, programId, addPayee } = await confirmed(2);
  await confirm();
  const draft = () => api.call('POST', '/payout-runs', { key, body: { programId } });
  await addPayee({ amount: 10_000, local: undefined });
  expect((await draft()).error.details).toMatchObject({ reason: 'RUN_IN_PROGRESS', runId });
  await create();
  api.provider.onSubmit((order) => transferOf(order, 'accepted'));
  const [first, second] = await rowsOf(api, 'select id from payout where payout_run_id = ? order by id', [runId]);
  await railSteps(api, first.id, key).send();
  expect((await draft()).error.details).toMatchObject({ reason: 'RUN_IN_PROGRESS', runId });
  await railSteps(api, second.id, key).send();
  expect(await draft()).toMatchObject({ status: 201, data: { items: 1 } });
});
