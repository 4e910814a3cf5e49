import { inTransaction } from '../../src/platform/context.ts';
import { makeApprovals } from './approvals.ts';
import { makePayable, unique } from './factories.ts';
import { signedNotification } from './notification-receiver.ts';
import { makeManualPayout } from './payouts.ts';
import type { Page, PageSystem } from './temporal-pages.ts';
import { until } from './until.ts';

export const pays = async ({ system }: PageSystem, local: string) => {
  const payable = await makePayable(system, { local: `${local}+${unique()}` });
  const { key, affiliateId, programId, code } = payable;
  const { data } = await system.call('POST', '/payouts', { key, body: { affiliateId, programId } });
  const read = async () => (await system.call('GET', `/payouts/${data.id}`, { key })).data;
  return { ...payable, payoutId: data.id as string, id: `payout/${data.id}`, code, read };
};

export const manual = async ({ system }: PageSystem) => {
  const payout = await makeManualPayout(system);
  return { ...payout, id: `payout/${payout.payoutId}` };
};

export const awaitingFinance = async (of: PageSystem): Promise<Page> => {
  const { workflowOf, finds } = of;
  const payout = await finds(await manual(of), 'finance to pay');
  await workflowOf(payout).cancel();
  return finds(payout, 'Cancellation requested');
};

export const overdue = async (of: PageSystem): Promise<Page> => {
  const { system, workflowOf, finds } = of;
  const payout = await finds(await manual(of), 'finance to pay');
  const ctx = system.runtime.context({ kind: 'system', name: 'test' });
  await ctx.em.execute(`update payout set created_at = now() - interval '8 days' where id = ?`, [
    payout.id.slice('payout/'.length),
  ]);
  await workflowOf(payout).terminate('so that it reads its age');
  return finds(payout, '⚠ **To pay**');
};

/** A failed payout was reported as paid: its affiliate is paid nothing until somebody resolves it. */
export const contradict = ({ runtime }: PageSystem['system'], of: { payoutId: string; affiliateId: string }): Promise<void> =>
  inTransaction(runtime.context({ kind: 'system', name: 'test' }), async (ctx) => {
    await ctx.em.execute(
      `insert into payout_contradiction (payout_id, n, attempt_id, recorded, reported, opened_at)
        select payout_id, 1, id, 'failed', 'paid', now() from payout_attempt where payout_id = ?`,
      [of.payoutId],
    );
    await ctx.em.execute(`update payout set needs_attention = true, review_reason = 'contradiction' where id = ?`, [of.payoutId]);
    await ctx.onHold(ctx, of.affiliateId);
  });

export const onHold = async (of: PageSystem): Promise<Page> => {
  const { system, finds } = of;
  const { payoutId, key, code, affiliateId, programId, act } = await manual(of);
  await act('process');
  await act('fail', { note: 'The account is closed' });
  const { id } = (await system.call('POST', '/payouts', { key, body: { affiliateId, programId } })).data;
  await finds({ id: `payout/${id}`, code }, 'finance to pay');
  await contradict(system, { payoutId, affiliateId });
  return finds({ id: `payout/${id}`, code }, '**On hold**');
};

/** As after the last resend. */
export const review = async (of: PageSystem): Promise<Page> => {
  const { system, finds } = of;
  const payout = await finds(await pays(of, 'unknown-unpaid-always'), 'look-up');
  const ctx = system.runtime.context({ kind: 'system', name: 'test' });
  await ctx.em.execute(
    `update payout_attempt set resend_at = null, last_sent_at = now() - interval '1 hour' where payout_id = ?`,
    [payout.id.slice('payout/'.length)],
  );
  return finds(payout, '⚠ **Needs a decision**');
};

export const contradiction = async (of: PageSystem): Promise<Page> => {
  const { system, finds } = of;
  const payout = await pays(of, 'fail-later');
  await until('the payout has failed', payout.read, ({ status }) => status === 'failed');
  const [transfer] = (await system.sandbox.transfers()).filter(({ reference }) => reference === payout.payoutId);
  const now = new Date();
  const signed = signedNotification({
    secret: system.sandbox.notificationSecret,
    id: `ntc_${unique()}`,
    type: 'transfer.paid',
    ...{ now, occurredAt: now, idempotencyKey: `payout-${payout.payoutId}-1`, transferId: transfer?.id ?? '' },
    record: { reference: payout.payoutId, amount: 2000, currency: 'usd' },
  });
  const { status } = await system.raw('POST', '/api/integrations/rails/sandbox', signed);
  if (status >= 300) throw new Error(`the notification was answered with ${status}`);
  return finds({ id: `${payout.id}/contradiction/1`, code: payout.code }, '⚠ **Contradiction**');
};

export const cancelled = async (of: PageSystem): Promise<Page> => {
  const { system, finds } = of;
  const payout = await finds(await manual(of), 'finance to pay');
  await system.call('POST', `/payouts/${payout.id.slice('payout/'.length)}/cancel`, { key: payout.key });
  return finds(payout, '✗ **Cancelled**');
};

export const returned = async (of: PageSystem): Promise<Page> => {
  const { finds } = of;
  const { id, code } = await pays(of, 'returned');
  return finds({ id: `${id}/correction/1`, code }, 'Not paid after all');
};

/** 100.00 to somebody, from a merchant who wants payouts of 50.00 and more approved. */
export const awaitingApproval = async ({ system, finds }: PageSystem): Promise<Page> => {
  const { pay, code } = await makeApprovals(system, { amount: 50_000, local: `ok+${unique()}` });
  return finds({ id: `payout/${(await pay()).data.id}`, code }, '**Awaiting approval**');
};

/** A person says that the money came back; the provider says that it was paid. */
export const unconfirmedReturn = async (of: PageSystem): Promise<Page> => {
  const { system, finds } = of;
  const { payoutId, key, code, id } = await finds(await pays(of, 'ok'), '✓ **Paid**');
  await system.call('POST', `/payouts/${payoutId}/return`, { key, body: { note: 'The affiliate says that nothing arrived' } });
  return finds({ id: `${id}/correction/1`, code }, '⚠ **Return not confirmed**');
};

export const copied = async (of: PageSystem): Promise<Page> => {
  const { system, workflowOf, finds } = of;
  const original = await finds(await pays(of, 'ok'), '✓ **Paid**');
  const { raw } = await workflowOf(original).describe();
  const started = (await workflowOf(original).fetchHistory()).events?.[0]?.workflowExecutionStartedEventAttributes;
  const input: unknown = JSON.parse(Buffer.from(started?.input?.payloads?.[0]?.data ?? []).toString());
  const id = `copy-${unique()}`;
  await system.temporal.clients.finance.workflow.start('payoutLifecycle', {
    workflowId: id,
    taskQueue: raw.executionConfig?.taskQueue?.name ?? '',
    args: [input],
    staticSummary: `Payout 20.00 USD to ${original.code}`,
  });
  return finds({ id, code: original.code }, '**Superseded**');
};
