import { verifyLedger } from '../../src/domains/ledger/index.ts';
import { rows, sql } from '../../src/platform/database/sql.ts';
import { createReconciler } from '../../src/temporal/relay/reconciler.ts';
import { makeMerchant, makePayable, unique } from '../support/factories.ts';
import { makeManualPayout } from '../support/payouts.ts';
import { type Receiver, startReceiver } from '../support/receiver/receiver.ts';
import { openTestSystem, type TestSystem, useTestSystem } from '../support/system.ts';
import { pause, until } from '../support/until.ts';

const system = useTestSystem({
  reconcile: { everyMs: 200, graceMs: 100 },
  sandbox: { settleMs: 1_500 },
  timing: { lookUpMs: 500, lookUpMaxMs: 1_000, remindAfterMs: [3_600_000] },
});

let receiver: Receiver;
beforeAll(async () => {
  receiver = await startReceiver();
});
afterAll(() => receiver.stop());

const context = (of: TestSystem = system) => of.runtime.context({ kind: 'system', name: 'test' });
const workflowOf = (id: string, of: TestSystem = system) =>
  of.temporal.clients[id.startsWith('webhook/') ? 'background' : 'finance'].workflow.getHandle(id);
const statusOf = async (id: string, of: TestSystem = system) =>
  workflowOf(id, of)
    .describe()
    .then(({ status, runId }) => ({ status: status.name as string, runId }))
    .catch(() => ({ status: 'MISSING', runId: '' }));
const running = (id: string, notRun?: string) =>
  until(
    `${id} is running`,
    () => statusOf(id),
    ({ status, runId }) => status === 'RUNNING' && runId !== notRun,
  );

/** Terminates the open run and waits for the next one. */
const terminate = async (id: string) => {
  const { runId } = await running(id);
  await workflowOf(id).terminate('by an operator');
  return running(id, runId);
};

const ledgerIsRight = async () => expect(await verifyLedger(context())).toEqual([]);

const bySandbox = async (local: string) => {
  const { key, affiliateId, programId } = await makePayable(system, { local: `${local}+${unique()}` });
  const { data } = await system.call('POST', '/payouts', { key, body: { affiliateId, programId } });
  const read = async () => (await system.call('GET', `/payouts/${data.id}`, { key })).data;
  const transfers = async () => (await system.sandbox.transfers()).filter(({ reference }) => reference === data.id);
  return { id: data.id as string, key, read, transfers };
};

it('W3: a manual payout that is terminated while pending and while processing is paid all the same', async () => {
  const { payoutId, act, read } = await makeManualPayout(system);
  await terminate(`payout/${payoutId}`);
  expect((await act('process')).data.status).toBe('processing');
  await terminate(`payout/${payoutId}`);
  expect((await act('complete', {})).data.status).toBe('completed');
  expect(await workflowOf(`payout/${payoutId}`).result()).toMatchObject({ status: 'completed' });
  expect((await read()).status).toBe('completed');
  await ledgerIsRight();
});

it('W3: a payout that is terminated between send and confirmation is completed and sent once', async () => {
  // Only a workflow finds out that it is paid.
  const { id, read, transfers } = await bySandbox('notifications-off');
  await until('the payout is processing', read, ({ status }) => status === 'processing');
  await until('the provider has the transfer', transfers, (seen) => seen.length === 1);
  await workflowOf(`payout/${id}`).terminate('by an operator');
  expect(await until('the payout is decided', read, ({ status }) => status !== 'processing')).toMatchObject({
    status: 'completed',
  });
  expect(await transfers()).toMatchObject([{ executedCount: 1 }]);
  expect(await workflowOf(`payout/${id}`).result()).toMatchObject({ status: 'completed' });
  await ledgerIsRight();
});

it('W3: payouts that are terminated at random moments end, and none is sent twice', async () => {
  const payouts = await Promise.all(['ok', 'fail-definite', 'unknown-paid', 'unknown-unpaid', 'ok', 'ok'].map(bySandbox));
  for (let round = 0; round < 4; round++) {
    await pause(150 + 100 * round, 'the workflows come to another step');
    await Promise.all(
      payouts.map(({ id }) =>
        workflowOf(`payout/${id}`)
          .terminate('by an operator')
          .catch(() => {}),
      ),
    );
  }
  for (const { read, transfers } of payouts) {
    await until('the payout is decided', read, ({ status }) => status === 'completed' || status === 'failed');
    for (const { executedCount } of await transfers()) expect(executedCount).toBeLessThanOrEqual(1);
  }
  await ledgerIsRight();
});

it('T1: a cancellation requested in the Temporal UI is noted on the timeline and ignored', async () => {
  const { payoutId, key, act } = await makeManualPayout(system);
  const workflow = workflowOf(`payout/${payoutId}`);
  await running(`payout/${payoutId}`);
  await until(
    'the workflow answers queries',
    () => workflow.query('currentState').catch(() => null),
    (state) => state !== null,
  );
  await workflow.cancel();
  const timeline = async () => (await system.call('GET', `/payouts/${payoutId}/timeline`, { key })).data as { type: string }[];
  const noted = await until('the ignored cancellation is on the timeline', timeline, (entries) =>
    entries.some(({ type }) => type === 'cancellation_ignored'),
  );
  expect(noted.filter(({ type }) => type === 'cancellation_ignored')).toHaveLength(1);
  expect((await statusOf(`payout/${payoutId}`)).status).toBe('RUNNING');
  await act('process');
  await act('complete', {});
  expect(await workflow.result()).toMatchObject({ status: 'completed' });
});

it('T1: a cancellation while a payout is being sent does not stop it', async () => {
  const { id, read, transfers } = await bySandbox('ok');
  await running(`payout/${id}`);
  await workflowOf(`payout/${id}`).cancel();
  expect(
    await until('the payout is decided', read, ({ status }) => status !== 'pending' && status !== 'processing'),
  ).toMatchObject({
    status: 'completed',
  });
  expect(await transfers()).toMatchObject([{ executedCount: 1 }]);
});

it('W3: a returned payment whose workflow never started is recorded', async () => {
  const { id, read } = await bySandbox('ok');
  await until('the payout is completed', read, ({ status }) => status === 'completed');
  await context().em.execute(`update payout_attempt set return_requested_at = now() where payout_id = ?`, [id]);
  await context().em.execute(
    `insert into payout_correction (payout_id, n, cause, attempt_id, status, from_status, requested_by, requested_at)
      select payout_id, 1, 'rail_return', id, 'open', 'completed', 'system:test', now() from payout_attempt where payout_id = ?`,
    [id],
  );
  expect(await until('the payout has failed', read, ({ status }) => status === 'failed')).toMatchObject({
    failureCode: 'returned',
  });
  expect(await workflowOf(`payout/${id}/correction/1`).result()).toMatchObject({ was: 'completed', is: 'failed' });
  await ledgerIsRight();
});

it('W3: the workflow of a contradiction that is terminated is open again until a person resolves it', async () => {
  const { payoutId, act, read } = await makeManualPayout(system);
  await act('process');
  await act('complete', {});
  await context().em.execute(
    `insert into payout_contradiction (payout_id, n, attempt_id, recorded, reported, opened_at)
      select payout_id, 1, id, 'paid', 'failed', now() from payout_attempt where payout_id = ?`,
    [payoutId],
  );
  await context().em.execute(`update payout set needs_attention = true, review_reason = 'contradiction' where id = ?`, [
    payoutId,
  ]);
  await terminate(`payout/${payoutId}/contradiction/1`);
  const resolved = await act('resolve', { outcome: 'paid', note: 'The bank confirmed it' });
  expect(resolved.data).toMatchObject({ status: 'completed', needsAttention: false });
  expect(await workflowOf(`payout/${payoutId}/contradiction/1`).result()).toMatchObject({ status: 'completed' });
  expect((await read()).status).toBe('completed');
});

it('W3: a delivery that is terminated goes on as a run of its own, again and again', async () => {
  const { key, affiliateId, programId } = await makePayable(system);
  const endpoint = { name: 'test', url: receiver.url(`/sequence/500,200/${unique()}`), subscribedEvents: ['payout.created'] };
  expect((await system.call('POST', '/webhooks', { key, body: endpoint })).status).toBe(201);
  await system.call('POST', '/payouts', { key, body: { affiliateId, programId } });
  const deliveries = () =>
    rows(
      context().em,
      sql<{ id: string; attempts: number; status: string }>`select id, attempts, status
    from webhook_delivery d where exists (select 1 from webhook_event e where e.id = d.event_id and e.program_id = ${programId}::uuid)`,
    );
  const [delivery] = await until('the first attempt is recorded', deliveries, (found) => found[0]?.attempts === 1);
  const id = delivery?.id ?? '';
  await terminateOnce(`webhook/${id}`);
  await terminateOnce(`webhook/${id}/r1`);
  await running(`webhook/${id}/r2`);
  await context().em.execute(`update webhook_delivery set next_attempt_at = now() - interval '1 second' where id = ?`, [id]);
  await terminateOnce(`webhook/${id}/r2`);
  await until('the delivery has succeeded', deliveries, ([found]) => found?.status === 'succeeded');
  expect((await statusOf(`webhook/${id}/r4`)).status).toBe('MISSING');
});

it('W3: a resend whose workflow is terminated is started again under its id, and never after its attempt', async () => {
  const quiet = await openTestSystem({ work: false, reconcile: { everyMs: 60_000, graceMs: 0 } });
  try {
    const { key } = await makeMerchant(quiet.runtime);
    const endpoint = { name: 'test', url: receiver.url(`/status/200/${unique()}`), subscribedEvents: ['payout.created'] };
    const made = await quiet.call('POST', '/webhooks', { key, body: endpoint });
    const { data } = await quiet.call('POST', `/webhooks/${made.data.endpoint.id}/test`, { key });
    await quiet.call('POST', `/webhook-deliveries/${data.id}/resend`, { key });
    const id = `webhook/${data.id}/m1`;
    await quiet.relay.round();
    const { runId } = await statusOf(id, quiet);
    expect(await quiet.reconciler.round()).toBe(0);
    await workflowOf(id, quiet).terminate('by an operator');
    expect(await quiet.reconciler.round()).toBe(1);
    await quiet.relay.round();
    const again = await statusOf(id, quiet);
    expect([again.status, again.runId === runId]).toEqual(['RUNNING', false]);
    await workflowOf(id, quiet).terminate('end of the test');
    await context(quiet).em.execute('update webhook_delivery set resend_requested_at = null where id = ?', [data.id]);
    expect(await quiet.reconciler.round()).toBe(0);
  } finally {
    await quiet.close();
  }
});

const terminateOnce = async (id: string) => {
  await running(id);
  await workflowOf(id).terminate('by an operator');
};

it('a kind of work that cannot be read holds up no other kind', async () => {
  const read: string[] = [];
  const source = (name: string, list: () => Promise<never[]>) => ({
    name,
    list: async () => {
      read.push(name);
      return list();
    },
    restart: async () => {},
  });
  const broken = source('broken', () => Promise.reject(new Error('statement timeout')));
  const other = source('other', async () => []);
  const reconciler = createReconciler({ clients: system.temporal.clients, sources: [broken, other], context });
  // A round does nothing while another process has one.
  const round = () => reconciler.round().catch((error: Error) => expect(error.message).toBe('statement timeout'));
  await until(
    'the other source is read three times',
    () => round().then(() => read.length),
    (count) => count >= 3,
  );
  expect(read.slice(0, 3)).toEqual(['broken', 'other', 'broken']);
});

it('TE2: a server that refuses to list failing workflows does not keep lost ones from being found', async () => {
  let lists = 0;
  const list = async () => {
    lists++;
    return [];
  };
  const source = { name: 'counted', list, restart: async () => {} };
  // A quotation mark makes the query invalid.
  const reconciler = createReconciler({ clients: system.temporal.clients, sources: [source], context, queuePrefix: '"' });
  expect(
    await until(
      'the source is read',
      () => reconciler.round().then(() => lists),
      (count) => count >= 1,
    ),
  ).toBe(1);
});

it('TE8: what was just terminated is found before the search of all open work comes to it', async () => {
  const quiet = await openTestSystem({ work: false });
  const { clients } = quiet.temporal;
  const [payouts] = quiet.runtime.unfinished.filter(({ name }) => name === 'payouts');
  if (!payouts) throw new Error('there is no source of payouts');
  // The search never comes to its payout.
  const source: typeof payouts = { ...payouts, list: async (ctx, page) => (page.ids ? payouts.list(ctx, page) : []) };
  const { TEMPORAL_QUEUE_PREFIX: queuePrefix } = quiet.runtime.config;
  const reconciler = createReconciler({ clients, sources: [source], context: () => context(quiet), queuePrefix, graceMs: 0 });
  try {
    const { payoutId } = await makeManualPayout(quiet);
    await quiet.relay.round();
    const workflow = workflowOf(`payout/${payoutId}`, quiet);
    await workflow.terminate('by an operator');
    const restarted = await until(
      'a round starts a workflow again',
      () => reconciler.round(),
      (count) => count > 0,
    );
    expect(restarted).toBe(1);
    await quiet.relay.round();
    expect(await statusOf(`payout/${payoutId}`, quiet)).toMatchObject({ status: 'RUNNING' });
    expect(await reconciler.round()).toBe(0);
    expect(reconciler.cycleMs()).toBeLessThan(60_000);
    await workflowOf(`payout/${payoutId}`, quiet).terminate('end of the test');
  } finally {
    await quiet.close();
  }
});

it('W3: only rows of the reconciler may reuse the id of a closed workflow', async () => {
  const quiet = await openTestSystem({ work: false, reconcile: { everyMs: 60_000, graceMs: 0 } });
  try {
    const { payoutId, act } = await makeManualPayout(quiet);
    await quiet.relay.round();
    const { runId } = await statusOf(`payout/${payoutId}`, quiet);
    await workflowOf(`payout/${payoutId}`, quiet).terminate('by an operator');
    await act('process');
    await quiet.relay.round();
    expect(await statusOf(`payout/${payoutId}`, quiet)).toEqual({ status: 'TERMINATED', runId });
    expect(await quiet.reconciler.round()).toBe(1);
    await quiet.relay.round();
    expect(await statusOf(`payout/${payoutId}`, quiet)).toMatchObject({ status: 'RUNNING' });
    expect(await quiet.reconciler.round()).toBe(0);
    await workflowOf(`payout/${payoutId}`, quiet).terminate('end of the test');
  } finally {
    await quiet.close();
  }
});

it('W3: a workflow that never started is started; while Temporal is unavailable nothing is requested', async () => {
  const quiet = await openTestSystem({ work: false, reconcile: { everyMs: 60_000, graceMs: 0 } });
  const away = await openTestSystem({
    work: false,
    reconcile: { everyMs: 60_000, graceMs: 0 },
    env: { TEMPORAL_ADDRESS: '127.0.0.1:9' },
  });
  try {
    const { payoutId } = await makeManualPayout(quiet);
    await context(quiet).em.execute('delete from outbox');
    // The payout, and the mail about the event secret of its program.
    expect(await quiet.reconciler.round()).toBe(2);
    await quiet.relay.round();
    expect(await statusOf(`payout/${payoutId}`, quiet)).toMatchObject({ status: 'RUNNING' });
    await workflowOf(`payout/${payoutId}`, quiet).terminate('end of the test');

    await makeManualPayout(away);
    await context(away).em.execute('delete from outbox');
    await expect(away.reconciler.round()).rejects.toThrow();
    expect(await rows(context(away).em, sql`select 1 from outbox`)).toEqual([]);
  } finally {
    await quiet.close();
    await away.close();
  }
});
