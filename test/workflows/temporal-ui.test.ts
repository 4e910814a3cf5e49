import { remindApplication } from '../../src/domains/applications/index.ts';
import { DAY_MS } from '../../src/platform/clock.ts';
import { readText } from '../architecture/project.ts';
import { makeApplication } from '../support/applications.ts';
import { makeApprovals } from '../support/approvals.ts';
import { makePayable, unique } from '../support/factories.ts';
import { makeFlag } from '../support/flags.ts';
import { makeManualPayout } from '../support/payouts.ts';
import { useTestSystem } from '../support/system.ts';
import { until } from '../support/until.ts';

const system = useTestSystem({ reconcile: { everyMs: 200, graceMs: 0 } });

const GUIDE = readText('docs/temporal-ui.md');

/** The filters of the guide by the name of their view. */
const VIEWS = new Map(
  [...GUIDE.matchAll(/^\*\*([^*\n]+)\*\*[^\n]*\n(?:[^\n]+\n)*\n```\n([^`]+)\n```/gm)].map(([, name = '', filter = '']) => [
    name,
    filter,
  ]),
);

/** Ids of the workflows that a view lists, of this merchant only. */
const listView = async (name: string, merchantId: string, values: readonly string[] = []): Promise<string[]> => {
  const left = [...values];
  const filter = (VIEWS.get(name) ?? 'missing').replace(/<\w[^>]*>/g, () => left.shift() ?? 'missing');
  const ids: string[] = [];
  const query = `(${filter}) AND MerchantId = "${merchantId}"`;
  for await (const { workflowId } of system.temporal.clients.finance.workflow.list({ query })) ids.push(workflowId);
  return ids;
};

it('T3: every view of the guide lists what its name says', async () => {
  const manual = await makeManualPayout(system);
  const waiting = `payout/${manual.payoutId}`;
  const failing = await makePayable(system, { local: `fail-definite+${unique()}` });
  const { affiliateId, programId, key } = failing;
  const { data } = await system.call('POST', '/payouts', { key, body: { affiliateId, programId } });
  const failed = `payout/${data.id}`;
  const lists = (expected: string[], name: string, merchantId: string, values?: string[]) =>
    until(
      `"${name}" lists what it should`,
      () => listView(name, merchantId, values),
      (ids) => JSON.stringify(ids) === JSON.stringify(expected),
    );

  await lists([waiting], 'Needs finance', manual.merchantId);
  await lists([waiting], 'To be paid by hand', manual.merchantId);
  await lists([waiting], 'Needs a person', manual.merchantId);
  await lists([waiting], 'One merchant', manual.merchantId, [manual.merchantId]);
  await lists([waiting], 'One affiliate code', manual.merchantId, [manual.code]);
  await lists([waiting], 'Large payouts', manual.merchantId, ['20']);
  await lists([], 'Large payouts', manual.merchantId, ['20.01']);
  const approvals = await makeApprovals(system, { amount: 50_000 });
  const { data: unapproved } = await approvals.pay();
  await lists([`payout/${unapproved.id}`], 'Waiting for approval', approvals.merchantId);
  await lists([failed], 'Failed today', failing.merchantId, [new Date(Date.now() - 3_600_000).toISOString()]);
  await lists([], 'Overdue', failing.merchantId, [new Date().toISOString()]);
  await lists([], 'Came back', failing.merchantId);
  const returning = await makePayable(system, { local: `returned+${unique()}` });
  const payee = { affiliateId: returning.affiliateId, programId: returning.programId };
  const { data: paid } = await system.call('POST', '/payouts', { key: returning.key, body: payee });
  const correction = `payout/${paid.id}/correction/1`;
  await lists([correction], 'Came back', returning.merchantId);
  await lists([correction], 'Returned or corrected', returning.merchantId);
  const month = [`${new Date().toISOString().slice(0, 7)}-01T00:00:00Z`];
  await lists([correction, `payout/${paid.id}`], 'Paid this month', returning.merchantId, month);
  await lists([], 'On hold', returning.merchantId);
  await lists([], 'Runs', returning.merchantId);
  await lists([], 'Webhooks that are retried', failing.merchantId);
  await lists([], 'Deliveries given up', failing.merchantId);
  const applied = await makeApplication(system);
  const application = `application/${applied.applicationId}`;
  await lists([application], 'Applications that wait', applied.merchantId);
  await lists([], 'Applications waiting more than a week', applied.merchantId);
  await remindApplication(system.runtime.context({ kind: 'system', name: 'test' }), {
    applicationId: applied.applicationId,
    reminder: 2,
  });
  await system.temporal.clients.finance.workflow.getHandle(application).terminate('so that it reads the reminder');
  await lists([application], 'Applications waiting more than a week', applied.merchantId);
  const flagged = await makeFlag(system);
  const flag = `flag/${flagged.flagId}`;
  await lists([flag], 'Open flags', flagged.merchantId);
  const inDays = (days: number) => new Date(Date.now() + days * DAY_MS).toISOString();
  await lists([flag], 'Flags near their deadline', flagged.merchantId, [inDays(15)]);
  await lists([], 'Flags near their deadline', flagged.merchantId, [inDays(13)]);
  await system.temporal.clients.finance.workflow.getHandle(flag).terminate('so that its first run stays in the list');
  await lists([flag], 'Flags near their deadline', flagged.merchantId, [inDays(15)]);
  await flagged.resolve('dismissed');
  await lists([], 'Open flags', flagged.merchantId);
  // No merchant's workflow: what is up to date is listed once the filter asks for that.
  const behind = VIEWS.get('Screening that is behind') ?? 'missing';
  const own = `WorkflowId STARTS_WITH "${system.runtime.config.TEMPORAL_QUEUE_PREFIX}screening/"`;
  const countOf = async (query: string) =>
    (await system.temporal.clients.background.workflow.count(`(${query}) AND ${own}`)).count;
  await until(
    'what is up to date is listed',
    () => countOf(behind.replace('"behind"', '"current"')),
    (count) => count > 0,
  );
  expect(await countOf(behind)).toBe(0);
  expect([...VIEWS.keys()].sort()).toEqual([
    'Applications that wait',
    'Applications waiting more than a week',
    'Came back',
    'Deliveries given up',
    'Failed today',
    'Flags near their deadline',
    'Large payouts',
    'Mails that were not sent',
    'Needs a person',
    'Needs finance',
    'On hold',
    'One affiliate code',
    'One merchant',
    'Open flags',
    'Overdue',
    'Paid this month',
    'Returned or corrected',
    'Runs',
    'Screening that is behind',
    'To be paid by hand',
    'Waiting for approval',
    'Webhooks that are retried',
  ]);
  await system.call('POST', `/applications/${applied.applicationId}/decline`, { key: applied.key });
  await manual.act('cancel');
});
