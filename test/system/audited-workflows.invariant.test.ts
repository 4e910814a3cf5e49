import { runChecks } from '../../src/audit/doctor/check.ts';
import { temporalChecks } from '../../src/audit/doctor/temporal-checks.ts';
import { runAudit } from '../../src/audit/index.ts';
import { WORKFLOW_ROWS } from '../../src/audit/workflow-rows.ts';
import { WORKFLOWS, type WorkflowType } from '../../src/contracts/workflows/index.ts';
import { after, DAY_MS } from '../../src/platform/clock.ts';
import type { Context } from '../../src/platform/context.ts';
import { makeApplication } from '../support/applications.ts';
import { makeMerchant, makePayable } from '../support/factories.ts';
import { makeFlag } from '../support/flags.ts';
import { draftRun } from '../support/payout-runs.ts';
import { makeManualPayout } from '../support/payouts.ts';
import { type TestSystem, useTestSystem } from '../support/system.ts';
import { until } from '../support/until.ts';

/** Nothing works, so that all workflows stay as they are. */
const system: TestSystem = useTestSystem({ work: false, reconcile: { everyMs: 60_000, graceMs: 0 } });
const context = () => system.runtime.context({ kind: 'system', name: 'test' });

/** Something that is open, and what ends it. */
interface Work {
  type: WorkflowType;
  subject: string;
  workflowId: string;
  end: string;
  reopen: string;
}

const change = (statement: string) => context().em.execute(statement);
const idOf = async (statement: string): Promise<string> => (await context().em.execute(statement))[0]?.['id'];

const payouts = async (): Promise<Work[]> => {
  const { payoutId } = await makeManualPayout(system);
  const paid = await makeManualPayout(system);
  await paid.act('process');
  await paid.act('complete', {});
  await system.relay.round();
  await system.temporal.clients.finance.workflow.getHandle(`payout/${paid.payoutId}`).terminate('it was paid');
  const attempt = `from payout_attempt where payout_id = '${paid.payoutId}'`;
  await change(`insert into payout_contradiction (payout_id, n, attempt_id, recorded, reported, opened_at)
    select payout_id, 1, id, 'paid', 'failed', now() ${attempt}`);
  await change(`insert into payout_correction (payout_id, n, cause, attempt_id, status, from_status, requested_by, requested_at)
    select payout_id, 1, 'reported_return', id, 'open', 'completed', 'system:test', now() ${attempt}`);
  const payable = await makePayable(system);
  const { runId } = await draftRun(system, payable);
  const ofPaid = `where payout_id = '${paid.payoutId}'`;
  return [
    {
      type: 'payoutLifecycle',
      subject: `payout ${payoutId}`,
      workflowId: `payout/${payoutId}`,
      end: `update payout set status = 'failed', failed_at = now(), updated_at = now() where id = '${payoutId}'`,
      reopen: `update payout set status = 'pending', failed_at = null where id = '${payoutId}'`,
    },
    {
      type: 'payoutContradiction',
      subject: `contradiction 1 of payout ${paid.payoutId}`,
      workflowId: `payout/${paid.payoutId}/contradiction/1`,
      end: `update payout_contradiction set resolved_at = now(), resolution = 'paid' ${ofPaid}`,
      reopen: `update payout_contradiction set resolved_at = null, resolution = null ${ofPaid}`,
    },
    {
      type: 'payoutCorrection',
      subject: `correction 1 of payout ${paid.payoutId}`,
      workflowId: `payout/${paid.payoutId}/correction/1`,
      end: `update payout_correction set status = 'withdrawn', closed_at = now() ${ofPaid}`,
      reopen: `update payout_correction set status = 'open', closed_at = null ${ofPaid}`,
    },
    {
      type: 'payoutRun',
      subject: `payout run ${runId}`,
      workflowId: `payout-run/${runId}`,
      end: `update payout_run set status = 'completed', finished_at = now() where id = '${runId}'`,
      reopen: `update payout_run set status = 'draft', finished_at = null where id = '${runId}'`,
    },
  ];
};

const decisions = async (): Promise<Work[]> => {
  const { applicationId } = await makeApplication(system);
  const { flagId } = await makeFlag(system);
  return [
    {
      type: 'applicationReview',
      subject: `application ${applicationId}`,
      workflowId: `application/${applicationId}`,
      end: `update application set status = 'withdrawn', decided_at = now() where id = '${applicationId}'`,
      reopen: `update application set status = 'pending', decided_at = null where id = '${applicationId}'`,
    },
    {
      type: 'flagReview',
      subject: `flag ${flagId}`,
      workflowId: `flag/${flagId}`,
      end: `update flag set status = 'dismissed', resolved_at = now(), hold_ended_at = now() where id = '${flagId}'`,
      reopen: `update flag set status = 'open', resolved_at = null, hold_ended_at = null where id = '${flagId}'`,
    },
  ];
};

const background = async (): Promise<Work[]> => {
  const { key, merchantId } = await makeMerchant(system.runtime);
  const body = { name: 'test', url: 'https://1.1.1.1/hook', subscribedEvents: ['payout.created'] };
  const endpointId = (await system.call('POST', '/webhooks', { key, body })).data.endpoint.id;
  const test = async (): Promise<string> => (await system.call('POST', `/webhooks/${endpointId}/test`, { key })).data.id;
  const [deliveryId, resentId] = [await test(), await test()];
  await change(`update webhook_delivery set in_lane = false, attempts = 1 where id = '${deliveryId}'`);
  await system.call('POST', `/webhook-deliveries/${resentId}/resend`, { key });
  const since = new Date(Date.now() - 60_000).toISOString();
  const { id: replayId } = (await system.call('POST', `/webhooks/${endpointId}/replay`, { key, body: { since } })).data;
  const mailId = await idOf(`select id from mail where merchant_id = '${merchantId}' limit 1`);
  return [
    {
      type: 'webhookDelivery',
      subject: `delivery ${deliveryId}`,
      workflowId: `webhook/${deliveryId}/r1`,
      end: `update webhook_delivery set status = 'succeeded', updated_at = now() where id = '${deliveryId}'`,
      reopen: `update webhook_delivery set status = 'pending' where id = '${deliveryId}'`,
    },
    {
      type: 'webhookDelivery',
      subject: `resend of delivery ${resentId}`,
      workflowId: `webhook/${resentId}/m1`,
      end: `update webhook_delivery set resend_requested_at = null, updated_at = now() where id = '${resentId}'`,
      reopen: `update webhook_delivery set resend_requested_at = now() where id = '${resentId}'`,
    },
    {
      type: 'webhookReplay',
      subject: `replay ${replayId}`,
      workflowId: `webhook-replay/${replayId}`,
      end: `update webhook_replay set state = 'completed', completed_at = now() where id = '${replayId}'`,
      reopen: `update webhook_replay set state = 'running', completed_at = null where id = '${replayId}'`,
    },
    {
      type: 'mailDelivery',
      subject: `mail ${mailId}`,
      workflowId: `mail/${mailId}`,
      end: `update mail set status = 'given_up', updated_at = now() where id = '${mailId}'`,
      reopen: `update mail set status = 'queued' where id = '${mailId}'`,
    },
  ];
};

const inTwoDays = (): Context => {
  const now = after(new Date(), 2 * DAY_MS);
  return { ...context(), clock: { now: () => now } };
};

/** What the doctor says then about workflows of what ended. */
const examine = () => {
  const { TEMPORAL_QUEUE_PREFIX: queuePrefix } = system.runtime.config;
  const checks = temporalChecks(system.temporal, { queuePrefix, isVersioned: false, ctx: inTwoDays() });
  return runChecks(checks.filter(({ name }) => name === 'ended work'));
};

/** What the audit says about workflows two days later, by subject. */
const audit = async (): Promise<Map<string, string>> => {
  const { findings } = await runAudit({ ctx: inTwoDays(), temporal: system.temporal.clients });
  const ofWorkflows = findings.filter(({ detail }) => detail.includes('its workflow'));
  return new Map(ofWorkflows.map(({ subject, detail }) => [subject, detail]));
};

test('TE2: the audit names what is open without a workflow, and what ended and has one, of every type', async () => {
  const works = [...(await payouts()), ...(await decisions()), ...(await background())];
  expect(new Set(works.map(({ type }) => type))).toEqual(new Set(WORKFLOW_ROWS.map(({ type }) => type)));
  // Contradictions and corrections were written by hand.
  for (let round = 0; round < 2; round++) {
    await system.reconciler.round();
    while ((await system.relay.round()) > 0);
  }
  const handles = works.map(({ type, workflowId }) =>
    system.temporal.clients[WORKFLOWS[type].namespace].workflow.getHandle(workflowId),
  );
  for (const handle of handles) expect((await handle.describe()).status.name).toBe('RUNNING');
  expect([...(await audit())]).toEqual([]);
  expect(await examine()).toMatchObject([{ status: 'ok' }]);

  for (const { end } of works) await change(end);
  // The list of workflows is eventually consistent.
  const needless = await until('the audit finds all needless workflows', audit, (found) => found.size >= works.length);
  const subjects = works.map(({ subject }) => subject).sort();
  expect([...needless.keys()].sort()).toEqual(subjects);
  for (const detail of needless.values()) expect(detail).toMatch(/^\w+, but its workflow is still running$/);

  const more = `and ${works.length - 1} more. See "A workflow is stuck"`;
  expect(await examine()).toMatchObject([{ status: 'fail', text: expect.stringContaining(more) }]);

  for (const { reopen } of works) await change(reopen);
  for (const handle of handles) await handle.terminate('by an operator');
  const missing = await audit();
  expect([...missing.keys()].sort()).toEqual(subjects);
  expect(new Set(missing.values())).toEqual(new Set(['is open but its workflow is TERMINATED']));
});
