import { inTransaction } from '../../src/platform/context.ts';
import { enqueue } from '../../src/platform/outbox/outbox.ts';
import { recordHistory } from '../support/histories.ts';
import { makeManualPayout } from '../support/payouts.ts';
import { until, useTestSystem } from '../support/system.ts';
import { currentDetailsOf } from '../support/workflow-details.ts';

const system = useTestSystem({ env: { TEMPORAL_UI_URL: 'http://ui.example/' } });

it('W2: a contradiction stays open, says what to do, and ends when a person resolved it', async () => {
  const { payoutId, code, programName, merchantId, programId, affiliateId, act } = await makeManualPayout(system);
  await act('process');
  await act('complete', {});
  const context = () => system.runtime.context({ kind: 'system', name: 'test' });
  const setAttention = (on: boolean) =>
    context().em.execute(`update payout set needs_attention = ?, review_reason = ? where id = ?`, [
      on,
      on ? 'contradiction' : null,
      payoutId,
    ]);
  const summary = { payoutId, merchantId, programId, affiliateId, affiliateCode: code, programName };
  const payment = { amountMinor: '2000', currency: 'usd', rail: 'manual', method: 'bank_transfer' } as const;
  const payload = { ...summary, ...payment, createdAt: new Date().toISOString(), n: 1 };
  const send = (topic: 'payout.contradiction' | 'payout.contradiction_resolved') =>
    inTransaction(context(), (ctx) => enqueue(ctx, { topic, subjectId: payoutId, suffix: '/contradiction/1', payload }));

  await setAttention(true);
  await send('payout.contradiction');
  const workflow = system.temporal.client.workflow.getHandle(`payout/${payoutId}/contradiction/1`);
  const details = await until(
    () => currentDetailsOf(workflow).catch(() => ''),
    (text) => text.includes('Contradiction'),
  );
  expect(details).toContain(`20.00 USD to ${code} (${programName})`);
  expect(details).toContain(`POST /payouts/${payoutId}/resolve`);
  expect(details).toContain(`](http://ui.example/namespaces/default/workflows/payout%2F${payoutId})`);
  const described = () => workflow.describe();
  expect(await until(described, ({ searchAttributes }) => Boolean(searchAttributes['DueAt']))).toMatchObject({
    searchAttributes: { NeedsAttention: [true], AffiliateCode: [code], Amount: [20] },
  });
  await workflow.cancel();

  await setAttention(false);
  await send('payout.contradiction_resolved');
  expect(await workflow.result()).toMatchObject({ amount: '20.00 USD', to: code, status: 'completed' });
  expect((await described()).searchAttributes).toMatchObject({ NeedsAttention: [false] });
  await recordHistory(workflow, 'payoutContradiction', 'resolved');
});
