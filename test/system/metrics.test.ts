import { parse } from 'yaml';
import { holdPayments } from '../../src/domains/payouts/index.ts';
import { execute, sql } from '../../src/platform/database/sql.ts';
import { readText } from '../architecture/project.ts';
import { makeApplication } from '../support/applications.ts';
import { makeDifference } from '../support/differences.ts';
import { makeMerchant, makePayable, unique } from '../support/factories.ts';
import { type AppProcess, openProcessSystem } from '../support/processes.ts';
import { startReceiver } from '../support/receiver/receiver.ts';
import { until } from '../support/until.ts';
import { useForFile } from '../support/use-for-file.ts';

interface Dashboard {
  panels: { title: string; targets: { expr: string }[] }[];
}

interface Alerts {
  groups: { rules: { alert: string; expr: string; annotations: { summary: string; runbook: string } }[] }[];
}

const system = useForFile(async () => {
  const [opened, receiver] = await Promise.all([openProcessSystem(), startReceiver()]);
  const [apiProcess, workerProcess] = await Promise.all([opened.startApi(), opened.startWorker()]);
  return {
    ...opened,
    receiver,
    apiProcess,
    workerProcess,
    async close() {
      await opened.close();
      await receiver.stop();
    },
  };
});

const scrape = async ({ metricsUrl }: AppProcess): Promise<string> => (await fetch(metricsUrl)).text();

/** Names of metrics, also of those without a value yet, and of the series of histograms. */
const namesIn = (text: string): Set<string> => {
  const names = new Set<string>();
  for (const [, name = '', type] of text.matchAll(/^# TYPE (\S+) (\S+)$/gm)) {
    names.add(name);
    if (type === 'histogram') for (const suffix of ['bucket', 'sum', 'count']) names.add(`${name}_${suffix}`);
  }
  return names;
};

const queriesOf = (): { title: string; expr: string }[] => {
  const dashboard = JSON.parse(readText('deploy/grafana/tributary.json')) as Dashboard;
  const alerts = parse(readText('deploy/prometheus/alerts.yml')) as Alerts;
  return [
    ...dashboard.panels.flatMap(({ title, targets }) => targets.map(({ expr }) => ({ title, expr }))),
    ...alerts.groups.flatMap(({ rules }) => rules.map(({ alert, expr }) => ({ title: alert, expr }))),
  ];
};

const readValue = (text: string, series: string): number | undefined => {
  const line = text.split('\n').find((line) => line.startsWith(`${series} `));
  return line === undefined ? undefined : Number(line.slice(series.length + 1));
};

const COMPLETED = /^temporal_workflow_completed_total\{.*workflow_type="payoutLifecycle".*\} 1$/m;

it('H9: a payout and its webhook show up in the metrics, and every metric of the dashboard and the alerts exists', async () => {
  const { key, affiliateId, programId } = await makePayable(system);
  const url = system.receiver.url(`/status/200/${unique()}`);
  const endpoint = { name: 'Receiver', url, subscribedEvents: ['payout.completed'] };
  expect((await system.call('POST', '/webhooks', { key, body: endpoint })).status).toBe(201);
  const { data } = await system.call('POST', '/payouts', { key, body: { affiliateId, programId } });
  const statusOf = async () => (await system.call('GET', `/payouts/${data.id}`, { key })).data.status as string;
  await until('the payout is completed', statusOf, (status) => status === 'completed');
  const worker = await until(
    'the metrics of the worker count the payout and its event',
    () => scrape(system.workerProcess),
    (text) =>
      readValue(text, 'tributary_ended_payouts_15m{status="completed",rail="sandbox"}') === 1 &&
      readValue(text, 'tributary_webhook_attempts_total{outcome="succeeded"}') === 1 &&
      COMPLETED.test(text),
  );
  expect(readValue(worker, 'tributary_open_payouts{status="processing",rail="sandbox"}')).toBe(0);
  expect(readValue(worker, 'tributary_payouts_needing_attention')).toBe(0);
  expect(worker).toMatch(/^tributary_rail_call_seconds_count\{rail="sandbox",operation="submit",outcome="accepted"\} 1$/m);

  const names = namesIn(worker + (await scrape(system.apiProcess)));
  // Counted by the SDK, from the first one on.
  for (const counted of [
    'temporal_workflow_task_execution_failed',
    'temporal_activity_execution_failed',
    'tributary_invalid_signals',
  ])
    names.add(`${counted}_total`);
  const unknown = queriesOf().flatMap(({ title, expr }) =>
    [...expr.matchAll(/\b(?:tributary|temporal|nodejs|process)_\w+/g)]
      .filter(([name]) => !names.has(name))
      .map(([name]) => `${title}: ${name}`),
  );
  expect(unknown).toEqual([]);
});

it('H9: payouts that need attention, and webhooks whose attempt is overdue, are counted', async () => {
  const { em } = system.runtime.context({ kind: 'system', name: 'test' });
  const payouts = await execute(em, sql`update payout set needs_attention = true`);
  const deliveries = await execute(
    em,
    sql`update webhook_delivery set status = 'pending', in_lane = false, next_attempt_at = now() - interval '1 hour'`,
  );
  const isCounted = (text: string) =>
    readValue(text, 'tributary_payouts_needing_attention') === payouts &&
    readValue(text, 'tributary_webhook_deliveries_due') === deliveries &&
    (readValue(text, 'tributary_webhook_delivery_oldest_due_seconds') ?? 0) > 3_590;
  expect([payouts, deliveries]).toEqual([1, 1]);
  await until('the metrics of the worker count what waits', () => scrape(system.workerProcess), isCounted);
});

it('payments that are held, and those that differ, are counted', async () => {
  const { merchantId } = await makeMerchant(system.runtime);
  const ctx = system.runtime.context({ kind: 'system', name: 'test' });
  await makeDifference(system, { merchantId, kind: 'fee' });
  await holdPayments(ctx, { cause: 'operator' });
  const isCounted = (text: string) =>
    readValue(text, 'tributary_reconciliation_differences_open') === 1 &&
    (readValue(text, 'tributary_payments_held_seconds') ?? 0) > 0;
  await until('the metrics of the worker count both', () => scrape(system.workerProcess), isCounted);
  await execute(ctx.em, sql`update payments_hold set lifted_at = now(), lifted_by = 'test'`);
  const isLifted = (text: string) => readValue(text, 'tributary_payments_held_seconds') === 0;
  await until('payments go on', () => scrape(system.workerProcess), isLifted);
});

it('applications that wait, flags by their deadline, mails that were not sent and unscreened conversions are counted', async () => {
  const { em } = system.runtime.context({ kind: 'system', name: 'test' });
  const { applicationId } = await makeApplication(system);
  await execute(
    em,
    sql`update application set created_at = now() - interval '8 days', due_at = now() + interval '22 days' where id = ${applicationId}::uuid`,
  );
  const flagged = async (due: string): Promise<void> => {
    const { key, affiliateId, conversionId } = await makePayable(system);
    const flag = await system.call('POST', '/flags', { key, body: { affiliateId, conversionIds: [conversionId], note: 'Look' } });
    await execute(em, sql`update flag set due_at = now() + ${due}::interval where id = ${flag.data.id}::uuid`);
  };
  for (const due of ['-1 hour', '1 hour', '2 hours', '3 days']) await flagged(due);
  const mail = (status: string) =>
    execute(
      em,
      // Changed in the future: no reconciler takes it up.
      sql`insert into mail (id, kind, subject_id, recipient, recipient_digest, period, payload, message_id, status, created_at, queued_at, updated_at)
        values (uuidv7(), 'payout_failed', uuidv7(), 'x', 'x', '', 'x', ${unique()}, ${status}, now(), now() - interval '2 hours', now() + interval '1 hour')`,
    );
  await mail('given_up');
  await mail('queued');
  const { conversionId } = await makePayable(system);
  // Set back each time: a worker may screen it again at once.
  const unscreen = () =>
    execute(
      em,
      sql`update conversion set screened_at = null, created_at = now() - interval '1 hour' where id = ${conversionId}::uuid`,
    );
  const isCounted = (text: string) => {
    const value = (name: string) => readValue(text, `tributary_${name}`) ?? 0;
    const flags = ['over', 'within_a_day', 'later'].map((deadline) => value(`open_flags{deadline="${deadline}"}`));
    return (
      value('applications_waiting') === 1 &&
      value('application_oldest_waiting_seconds') > 7.9 * 86_400 &&
      flags.join() === '1,2,1' &&
      value('mails_given_up') === 1 &&
      value('mail_oldest_queued_seconds') > 7_000 &&
      value('conversion_oldest_unscreened_seconds') > 3_500
    );
  };
  const scraped = await until(
    'the metrics of the worker count mails and sales that wait',
    async () => {
      await unscreen();
      return scrape(system.workerProcess);
    },
    isCounted,
  );
  expect(isCounted(scraped)).toBe(true);
});

it('W17: outbox rows are counted by topic and state, and a failed row does not count into the age of its topic', async () => {
  const { em } = system.runtime.context({ kind: 'system', name: 'test' });
  const add = (failedAt: string | null, notBefore: string) =>
    execute(
      em,
      sql`insert into outbox (topic, subject_id, payload, not_before, next_attempt_at, failed_at) values ('payout.changed',
        uuidv7(), '{}', now() + ${notBefore}::interval, now() + interval '1 hour', ${failedAt}::timestamptz)`,
    );
  await add('2026-01-01T00:00:00Z', '-1 day');
  await add(null, '-1 minute');
  await add(null, '1 hour');
  const isCounted = (text: string) =>
    ['waiting', 'scheduled', 'failed'].every(
      (state) => readValue(text, `tributary_outbox_rows{topic="payout.changed",state="${state}"}`) === 1,
    );
  const text = await until(
    'the metrics of the worker count the rows of the outbox',
    () => scrape(system.workerProcess),
    isCounted,
  );
  const age = readValue(text, 'tributary_outbox_oldest_seconds{topic="payout.changed"}') ?? 0;
  expect(Math.round(age / 60)).toBe(1);
  expect(readValue(text, 'tributary_outbox_oldest_seconds{topic="webhook.deliver"}')).toBe(0);
  await execute(em, sql`delete from outbox where topic = 'payout.changed'`);
});

it('H9: metrics are served on an address of their own', async () => {
  expect((await fetch(`${system.apiProcess.url}/metrics`)).status).toBe(404);
  expect((await fetch(`${system.workerProcess.url}/metrics`)).status).toBe(404);
  expect((await fetch(new URL('/', system.apiProcess.metricsUrl))).status).toBe(404);
});

it('every query of an alert has a section in the runbook', () => {
  const anchors = [...readText('docs/runbook.md').matchAll(/^## (.+)$/gm)].map(
    ([, title = '']) => `docs/runbook.md#${title.toLowerCase().replaceAll(' ', '-')}`,
  );
  const alerts = parse(readText('deploy/prometheus/alerts.yml')) as Alerts;
  const rules = alerts.groups.flatMap((group) => group.rules);
  expect(rules.filter(({ annotations }) => !anchors.includes(annotations.runbook)).map(({ alert }) => alert)).toEqual([]);
});

it('N7: a worker is ready while it polls and reaches Postgres, on every interface that its host setting names', async () => {
  const worker = await system.startWorker({ env: { WORKER_HEALTH_HOST: '0.0.0.0' } });
  const ready = async () => {
    const response = await fetch(`${worker.url.replace('127.0.0.1', '127.0.0.2')}/health/ready`);
    return { status: response.status, body: await response.json() };
  };
  expect(await until('the worker is ready', ready, ({ status }) => status === 200)).toEqual({
    status: 200,
    body: { status: 'ready', postgres: true, temporal: true, relay: true },
  });
  await worker.stop();
});

it('N7: a worker without Temporal is live and not ready', async () => {
  const worker = await system.startWorker({ env: { TEMPORAL_ADDRESS: '127.0.0.1:1' } });
  expect((await fetch(`${worker.url}/health/live`)).status).toBe(200);
  const response = await fetch(`${worker.url}/health/ready`);
  expect([response.status, await response.json()]).toEqual([
    503,
    { status: 'not ready', postgres: true, temporal: false, relay: true },
  ]);
  await worker.stop();
});
