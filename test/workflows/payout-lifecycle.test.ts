import { verifyLedger } from '../../src/domains/ledger/index.ts';
import { makePayable, unique } from '../support/factories.ts';
import { keepHistory } from '../support/histories.ts';
import { openTestSystem, until, useTestSystem } from '../support/system.ts';

const system = useTestSystem({ sandbox: { slowMs: 500, returnMs: 300 } });

const payTo = async (local: string) => {
  const payable = await makePayable(system, { local: `${local}+${unique()}` });
  const { key, affiliateId, programId } = payable;
  const created = await system.call('POST', '/payouts', { key, body: { affiliateId, programId } });
  expect(created.status).toBe(201);
  const id: string = created.data.id;
  const payout = async () => (await system.call('GET', `/payouts/${id}`, { key })).data;
  const timeline = async () =>
    (await system.call('GET', `/payouts/${id}/timeline`, { key })).data as { what: string; attempt: number }[];
  const ends = (...statuses: string[]) => until(payout, (seen) => statuses.includes(seen.status));
  const story = () => system.temporal.client.workflow.getHandle(`payout/${id}`);
  const keep = async (path: string) => {
    await story().result();
    await keepHistory(story(), 'payoutLifecycle', path);
  };
  const transfers = async () => (await system.sandbox.transfers()).filter((transfer) => transfer.reference === id);
  return { ...payable, id, payout, timeline, ends, story, keep, transfers };
};

const ledgerIsRight = async () => {
  expect(await verifyLedger(system.runtime.context({ kind: 'system', name: 'test' }))).toEqual([]);
};

it('ok: completes by the notification, in three activities, and the result says so', async () => {
  const { keep, id, ends, story, transfers } = await payTo('ok');
  expect(await ends('completed', 'failed')).toMatchObject({ status: 'completed', amount: 2000 });
  expect(await story().result()).toEqual({
    status: 'completed',
    amountMinor: '2000',
    currency: 'usd',
    rail: 'sandbox',
    attempts: 1,
    failureCode: null,
  });
  expect(await transfers()).toMatchObject([{ amount: 2000, executedCount: 1, status: 'paid' }]);
  const { events } = await story().fetchHistory();
  expect(events?.filter((event) => event.activityTaskScheduledEventAttributes)).toHaveLength(3);
  expect(JSON.stringify(events)).not.toContain('example.com');
  const described = await story().describe();
  expect(described.searchAttributes).toMatchObject({
    State: ['completed'],
    AmountMinor: [2000],
    Currency: ['usd'],
    Rail: ['sandbox'],
  });
  expect(await described.staticSummary()).toBe('Payout 20.00 USD, sandbox');
  expect(id).toBeTruthy();
  await ledgerIsRight();
  await keep('ok');
});

it('fail-definite: fails, and the money is payable again', async () => {
  const { keep, key, affiliateId, programId, ends } = await payTo('fail-definite');
  expect(await ends('completed', 'failed')).toMatchObject({ status: 'failed', failureCode: 'rail_refused' });
  const pending = await system.call('GET', '/payouts/pending', { key });
  expect(pending.data).toMatchObject([{ affiliateId, programId, pendingAmount: 2000 }]);
  await ledgerIsRight();
  await keep('fail-definite');
});

it('unknown-paid: only asks, and finds that it was paid once', async () => {
  const { keep, ends, timeline, transfers } = await payTo('unknown-paid');
  expect(await ends('completed', 'failed')).toMatchObject({ status: 'completed' });
  expect((await timeline()).map((entry) => entry.what)).toContain('sent to sandbox: unknown');
  expect(await transfers()).toMatchObject([{ executedCount: 1 }]);
  await ledgerIsRight();
  await keep('unknown-paid');
});

it('unknown-unpaid: asks, and sends the same attempt again under the same key', async () => {
  const { keep, id, ends, timeline, transfers } = await payTo('unknown-unpaid');
  expect(await ends('completed', 'failed')).toMatchObject({ status: 'completed' });
  const told = (await timeline()).map((entry) => entry.what);
  expect(told).toEqual(expect.arrayContaining(['sent to sandbox: unknown', 'asked sandbox: never_received']));
  expect(await transfers()).toMatchObject([{ idempotencyKey: `payout-${id}-1`, executedCount: 1 }]);
  await ledgerIsRight();
  await keep('unknown-unpaid');
});

it('unknown-unpaid-always: after three sends a person decides, with a note', async () => {
  const { keep, id, key, payout, ends } = await payTo('unknown-unpaid-always');
  await until(payout, (seen) => seen.needsAttention);
  const without = await system.call('POST', `/payouts/${id}/fail`, { key });
  expect(without.error.details).toMatchObject({ reason: 'RAIL_NOT_MANUAL' });
  const decided = await system.call('POST', `/payouts/${id}/fail`, {
    key,
    body: { note: 'The provider confirmed that nothing was sent' },
  });
  expect(decided.data).toMatchObject({ status: 'failed', failureCode: 'marked_failed' });
  await ends('failed');
  await ledgerIsRight();
  await keep('decided-by-a-person');
});

it('slow: is a normal payout in the end', async () => {
  const { keep, ends, transfers } = await payTo('slow');
  expect(await ends('completed', 'failed')).toMatchObject({ status: 'completed' });
  expect(await transfers()).toMatchObject([{ executedCount: 1 }]);
  await keep('slow');
});

it('returned: completes, and the money that comes back is a short story of its own', async () => {
  const { keep, key, affiliateId, programId, ends, story, id } = await payTo('returned');
  await ends('completed', 'failed');
  expect(await ends('failed')).toMatchObject({ failureCode: 'returned' });
  expect(await story().result()).toMatchObject({ status: 'completed' });
  const pending = await system.call('GET', '/payouts/pending', { key });
  expect(pending.data).toMatchObject([{ affiliateId, programId, pendingAmount: 2000 }]);
  const retry = await system.call('POST', `/payouts/${id}/retry`, { key });
  expect(retry.data).toMatchObject({ retryOf: id, amount: 2000 });
  await ledgerIsRight();
  await keep('returned');
  const [attempt] = (await system.runtime
    .context({ kind: 'system', name: 'test' })
    .em.execute('select id from payout_attempt where payout_id = ?', [id])) as { id: string }[];
  const returned = system.temporal.client.workflow.getHandle(`payout-return/${attempt?.id}`);
  expect(await returned.result()).toEqual({ outcome: 'returned' });
  await keepHistory(returned, 'payoutReturn', 'returned');
});

it('manual rail: waits for a person, reminds, and ends when the person says so', async () => {
  const payable = await makePayable(system, { local: null });
  const { key, affiliateId, programId, profileId } = payable;
  const { em, cipher } = system.runtime.context({ kind: 'system', name: 'test' });
  const details = {
    method: 'bank_transfer',
    paypalEmail: null,
    bankIban: 'DE89370400440532013000',
    bankAccountHolder: 'Ada Test',
  };
  const ciphertext = cipher.encrypt(JSON.stringify(details), {
    table: 'affiliate_profile',
    column: 'payout_details',
    row: profileId,
  });
  await em.execute(`update affiliate_profile set payout_method = 'bank_transfer', payout_details = ? where id = ?`, [
    ciphertext,
    profileId,
  ]);
  const created = await system.call('POST', '/payouts', { key, body: { affiliateId, programId } });
  expect(created.data).toMatchObject({ rail: 'manual', status: 'pending' });
  const { id } = created.data;
  const timeline = async () => (await system.call('GET', `/payouts/${id}/timeline`, { key })).data as { what: string }[];
  await until(timeline, (seen) => seen.some((entry) => entry.what.startsWith('reminder 1')));
  await until(timeline, (seen) => seen.some((entry) => entry.what.startsWith('still unpaid')));
  const story = system.temporal.client.workflow.getHandle(`payout/${id}`);
  expect(await story.query('currentState')).toMatchObject({
    status: 'pending',
    waitingFor: 'a person to pay and say so',
    needsAttention: true,
  });
  expect((await system.call('POST', `/payouts/${id}/process`, { key })).data.status).toBe('processing');
  expect((await system.call('POST', `/payouts/${id}/complete`, { key, body: {} })).data.status).toBe('completed');
  expect(await story.result()).toMatchObject({ status: 'completed', rail: 'manual' });
  await ledgerIsRight();
  await keepHistory(story, 'payoutLifecycle', 'manual');
});

it('cancelled before its story began: the story ends at once and says failed', async () => {
  const quiet = await openTestSystem({ work: false });
  try {
    const { key, affiliateId, programId } = await makePayable(quiet);
    const { data } = await quiet.call('POST', '/payouts', { key, body: { affiliateId, programId } });
    await quiet.call('POST', `/payouts/${data.id}/cancel`, { key });
    expect(await quiet.relay.round()).toBe(2);
    const story = quiet.temporal.client.workflow.getHandle(`payout/${data.id}`);
    const { startTemporalWorkers } = await import('../../src/worker/temporal-workers.ts');
    const workers = startTemporalWorkers(quiet.runtime, quiet.runtime.config, ['payouts']);
    expect(await story.result()).toMatchObject({ status: 'failed', attempts: 0, failureCode: 'cancelled' });
    await keepHistory(story, 'payoutLifecycle', 'cancelled');
    await workers.stop();
  } finally {
    await quiet.close();
  }
});
