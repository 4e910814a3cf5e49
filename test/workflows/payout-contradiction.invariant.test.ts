import { inTransaction } from '../../src/platform/context.ts';
import { enqueue } from '../../src/platform/outbox/outbox.ts';
import { recordHistory } from '../support/histories.ts';
import { contradict } from '../support/payout-pages.ts';
import { makeManualPayout } from '../support/payouts.ts';
import { FAST_TIMING, useTestSystem } from '../support/system.ts';
import { until } from '../support/until.ts';
import { currentDetailsOf } from '../support/workflow-details.ts';
import { outcomeOf } from '../support/workflow-outcome.ts';

const system = useTestSystem({
  env: { TEMPORAL_UI_URL: 'http://ui.example/' },
  timing: { ...FAST_TIMING, remindAfterMs: [3_600_000] },
});

const context = () => system.runtime.context({ kind: 'system', name: 'test' });

/** A completed payout of which its workflow says that the provider reported a failure, too. */
const openContradiction = async () => {
  const { payoutId, code, programName, merchantId, programId, affiliateId, act } = await makeManualPayout(system);
  await act('process');
  await act('complete', {});
  const summary = { payoutId, merchantId, programId, affiliateId, affiliateCode: code, programName };
  const payment = { amountMinor: '2000', currency: 'usd', rail: 'manual', method: 'bank_transfer' } as const;
  const payload = { ...summary, ...payment, createdAt: new Date().toISOString(), n: 1 };
  const send = (topic: 'payout.contradiction' | 'payout.contradiction_resolved') =>
    inTransaction(context(), (ctx) => enqueue(ctx, { topic, subjectId: payoutId, suffix: '/contradiction/1', payload }));
  await context().em.execute(
    `with reviewed as (update payout set needs_attention = true, review_reason = 'contradiction' where id = ?)
      insert into payout_contradiction (payout_id, n, attempt_id, recorded, reported, opened_at)
      select payout_id, 1, id, 'paid', 'failed', now() from payout_attempt where payout_id = ?`,
    [payoutId, payoutId],
  );
  await send('payout.contradiction');
  const workflow = system.temporal.clients.finance.workflow.getHandle(`payout/${payoutId}/contradiction/1`);
  const details = await until(
    'the page of the workflow shows the contradiction',
    () => currentDetailsOf(workflow).catch(() => ''),
    (text) => text.includes('Contradiction'),
  );
  const resolve = async () => {
    await context().em.execute(
      `with reviewed as (update payout set needs_attention = false, review_reason = null where id = ?)
        update payout_contradiction set resolved_at = now(), resolution = 'paid', note = 'It arrived', resolved_by = 'key:1'
        where payout_id = ?`,
      [payoutId, payoutId],
    );
    await send('payout.contradiction_resolved');
  };
  return { payoutId, code, programName, workflow, details, resolve };
};

it('W2: a contradiction stays open, says what to do, and ends when a person resolved it', async () => {
  const { payoutId, code, programName, workflow, details, resolve } = await openContradiction();
  expect(details).toContain(`20.00 USD to ${code} (${programName})`);
  expect(details).toContain(`POST /payouts/${payoutId}/resolve`);
  expect(details).toContain(`](http://ui.example/namespaces/tributary/workflows/payout%2F${payoutId})`);
  const described = () => workflow.describe();
  expect(
    await until('the workflow shows its next check', described, ({ searchAttributes }) =>
      Boolean(searchAttributes['NextCheckAt']),
    ),
  ).toMatchObject({
    searchAttributes: { NeedsAttention: [true], AffiliateCode: [code], Amount: [20] },
  });
  await workflow.cancel();

  await resolve();
  expect(await workflow.result()).toMatchObject({ amount: '20.00 USD', to: code, status: 'completed' });
  expect((await described()).searchAttributes).toMatchObject({ NeedsAttention: [false] });
  await recordHistory(workflow, 'payoutContradiction', 'resolved');
});

it('a signal that a contradiction is resolved does not end it while it is not', async () => {
  const { workflow, resolve } = await openContradiction();
  const looks = async () => {
    const { events } = await workflow.fetchHistory();
    return events?.filter(({ activityTaskCompletedEventAttributes: completed }) => completed).length ?? 0;
  };
  for (const payload of [[], ['resolved'], [{ n: 1, status: 'completed' }]]) {
    const before = await looks();
    await workflow.signal('contradictionResolved', ...payload);
    await until('the workflow has looked again', looks, (now) => now > before);
  }
  expect((await workflow.describe()).status.name).toBe('RUNNING');
  expect(await workflow.query('currentState')).toEqual({
    status: 'completed',
    waitingFor: 'a person to resolve the contradiction',
    needsAttention: true,
  });
  await resolve();
  expect(await workflow.result()).toMatchObject({ status: 'completed' });
});

it('a manual payout says that another one puts it on hold, without a reminder, and no longer once that is resolved', async () => {
  const { payoutId, key, affiliateId, programId, act } = await makeManualPayout(system);
  await act('process');
  await act('fail', { note: 'The account is closed' });
  const failed = system.temporal.clients.finance.workflow.getHandle(`payout/${payoutId}`);
  expect((await outcomeOf(failed)).next).toMatch(/read its page in the console, .* with the filter `WorkflowId STARTS_WITH/);
  expect(await currentDetailsOf(failed)).toContain('[its later workflows](http://ui.example/');
  const { id } = (await system.call('POST', '/payouts', { key, body: { affiliateId, programId } })).data;
  const detailsOf = (part: string) =>
    until(
      `the page of the payout shows "${part}"`,
      () => currentDetailsOf(system.temporal.clients.finance.workflow.getHandle(`payout/${id}`)).catch(() => ''),
      (text) => text.includes(part),
    );
  expect(await detailsOf('finance to pay and mark as paid; a review at')).toContain('Choose “Mark as in progress”');
  await contradict(system, { payoutId, affiliateId });
  expect(await detailsOf('a contradiction of another payout to be resolved; nobody is reminded until then')).toContain(
    '**On hold**',
  );
  expect((await act('resolve', { outcome: 'not_paid', note: 'The bank told us' })).status).toBe(200);
  expect(await detailsOf('finance to pay and mark as paid; a review at')).toContain('**To pay**');
});
