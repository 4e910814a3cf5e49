import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { PAYOUT_LIMITS } from '../../src/contracts/payouts.ts';
import { prepareDataDirectory } from '../../src/local/stack/data-directory.ts';
import { findFreePort } from '../../src/local/stack/index.ts';
import { type OpenTemporal, openTemporal } from '../../src/local/stack/temporal.ts';
import { inTransaction } from '../../src/platform/context.ts';
import { startTemporalWorkers } from '../../src/worker/temporal-workers.ts';
import { makeApplication } from '../support/applications.ts';
import { makePayable, unique } from '../support/factories.ts';
import { makeFlag } from '../support/flags.ts';
import { signedNotification } from '../support/notification-receiver.ts';
import { draftRun, makePayees } from '../support/payout-runs.ts';
import { makeManualPayout } from '../support/payouts.ts';
import { type Receiver, startReceiver } from '../support/receiver/receiver.ts';
import { openTestSystem, type TestSystem, until } from '../support/system.ts';
import { type Page, pagesOf, takePictures } from '../support/temporal-pages.ts';

const IMAGES = fileURLToPath(new URL('../../docs/images/temporal', import.meta.url));
const HOUR = 3_600_000;

let temporal: OpenTemporal;
let system: TestSystem;
/** Without workers for activities. */
let quiet: TestSystem;
/** Whose days last seconds: deliveries are given up after three. */
let quick: TestSystem;
let receiver: Receiver;
const closing: (() => Promise<unknown>)[] = [];
const { workflowOf, readPage, finds } = pagesOf(() => system);

beforeAll(async () => {
  const directory = await prepareDataDirectory(await mkdtemp(join(tmpdir(), 'tributary-pages-')));
  const uiPort = await findFreePort(0);
  const port = await findFreePort(0);
  temporal = await openTemporal({ directory, env: process.env, log: () => {}, port, uiPort, persistent: false });
  closing.push(() => temporal.close());
  const env = { TEMPORAL_ADDRESS: temporal.url, TEMPORAL_UI_URL: temporal.uiUrl ?? '' };
  const timing = { lookUpMs: 300, lookUpMaxMs: HOUR, remindAfterMs: [24 * HOUR, 72 * HOUR, 168 * HOUR], maxUnknownMs: 24 * HOUR };
  system = await openTestSystem({
    env,
    timing,
    limits: PAYOUT_LIMITS,
    reconcile: { everyMs: 500, graceMs: 0 },
    sandbox: { returnMs: 300 },
  });
  closing.push(() => system.close());
  quiet = await openTestSystem({ env, work: false });
  closing.push(() => quiet.close());
  quick = await openTestSystem({ env: { ...env, SECONDS_PER_DAY: '2' } });
  closing.push(() => quick.close());
  receiver = await startReceiver();
  closing.push(() => receiver.stop());
}, 180_000);
afterAll(async () => {
  for (const close of closing.reverse()) await close();
}, 60_000);

const pays = async (local: string) => {
  const payable = await makePayable(system, { local: `${local}+${unique()}` });
  const { key, affiliateId, programId, code } = payable;
  const { data } = await system.call('POST', '/payouts', { key, body: { affiliateId, programId } });
  const read = async () => (await system.call('GET', `/payouts/${data.id}`, { key })).data;
  return { ...payable, payoutId: data.id as string, id: `payout/${data.id}`, code, read };
};

const manual = async () => {
  const payout = await makeManualPayout(system);
  return { ...payout, id: `payout/${payout.payoutId}` };
};

const pending = async (): Promise<Page> => {
  const { key, affiliateId, programId, code } = await makePayable(quiet);
  const { data } = await quiet.call('POST', '/payouts', { key, body: { affiliateId, programId } });
  const workers = startTemporalWorkers(quiet.runtime, quiet.runtime.config, { queues: ['workflows'], tracing: null });
  closing.push(() => workers.stop());
  await quiet.relay.round();
  return finds({ id: `payout/${data.id}`, code }, '**Pending**');
};

const awaitingFinance = async (): Promise<Page> => {
  const payout = await finds(await manual(), 'finance to pay');
  await workflowOf(payout).cancel();
  return finds(payout, 'Cancellation requested');
};

const overdue = async (): Promise<Page> => {
  const payout = await finds(await manual(), 'finance to pay');
  const ctx = system.runtime.context({ kind: 'system', name: 'test' });
  await ctx.em.execute(`update payout set created_at = now() - interval '8 days' where id = ?`, [
    payout.id.slice('payout/'.length),
  ]);
  await workflowOf(payout).terminate('so that it reads its age');
  return finds(payout, '⚠ **Review**');
};

const onHold = async (): Promise<Page> => {
  const { payoutId, key, code, affiliateId, programId, act } = await manual();
  await act('process');
  await act('fail', { note: 'The account is closed' });
  const { id } = (await system.call('POST', '/payouts', { key, body: { affiliateId, programId } })).data;
  await finds({ id: `payout/${id}`, code }, 'finance to pay');
  await inTransaction(system.runtime.context({ kind: 'system', name: 'test' }), async (ctx) => {
    await ctx.em.execute(
      `insert into payout_contradiction (payout_id, n, attempt_id, recorded, reported, opened_at)
        select payout_id, 1, id, 'failed', 'paid', now() from payout_attempt where payout_id = ?`,
      [payoutId],
    );
    await ctx.onHold(ctx, affiliateId);
  });
  return finds({ id: `payout/${id}`, code }, '⏸ **On hold**');
};

/** As after the last resend. */
const review = async (): Promise<Page> => {
  const payout = await finds(await pays('unknown-unpaid-always'), 'look-up');
  const ctx = system.runtime.context({ kind: 'system', name: 'test' });
  await ctx.em.execute(
    `update payout_attempt set resend_at = null, last_sent_at = now() - interval '1 hour' where payout_id = ?`,
    [payout.id.slice('payout/'.length)],
  );
  return finds(payout, '⚠ **Review**');
};

const contradiction = async (): Promise<Page> => {
  const payout = await pays('fail-later');
  await until(payout.read, ({ status }) => status === 'failed');
  const now = new Date();
  const signed = signedNotification({
    secret: system.sandbox.notificationSecret,
    id: `ntc_${unique()}`,
    type: 'transfer.paid',
    ...{ now, occurredAt: now, idempotencyKey: `payout-${payout.payoutId}-1`, transferId: `trf_${unique()}` },
    record: { reference: payout.payoutId, amount: 2000, currency: 'usd' },
  });
  expect((await system.raw('POST', '/api/integrations/rails/sandbox', signed)).status).toBeLessThan(300);
  return finds({ id: `${payout.id}/contradiction/1`, code: payout.code }, '⚠ **Contradiction**');
};

const cancelled = async (): Promise<Page> => {
  const payout = await finds(await manual(), 'finance to pay');
  await system.call('POST', `/payouts/${payout.id.slice('payout/'.length)}/cancel`, { key: payout.key });
  return finds(payout, '✗ **Cancelled**');
};

const returned = async (): Promise<Page> => {
  const { id, code } = await pays('returned');
  return finds({ id: `${id}/correction/1`, code }, 'Not paid after all');
};

const copied = async (): Promise<Page> => {
  const original = await finds(await pays('ok'), '✓ **Paid**');
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

const flagged = async (): Promise<Page> => {
  const { flagId, code } = await makeFlag(system);
  return finds({ id: `flag/${flagId}`, code }, '⏸ **Open**');
};

/** A draft of 120.00 for six affiliates; their addresses say what the provider does. */
const drafted = async (...locals: string[]) => {
  const own = await makePayees(
    system,
    ['ok', 'ok', ...locals].map((local) => ({ amount: 10_000, local: `${local}+${unique()}` })),
  );
  const run = await draftRun(system, own);
  const page = await finds({ id: `payout-run/${run.runId}`, code: '' }, '**Draft**');
  return { ...own, run, page };
};

const runIn = async (text: string, ...locals: string[]): Promise<Page> => {
  const { run, page, payees, key } = await drafted(...locals);
  await system.call('POST', `/affiliates/${payees[1]?.affiliateId}/block`, { key, body: {} });
  await run.confirm();
  return finds(page, text);
};

const applied = async (): Promise<Page> => {
  const { applicationId, affiliateId } = await makeApplication(system);
  const page = await finds({ id: `application/${applicationId}`, code: '' }, 'Waiting');
  return { ...page, code: affiliateId };
};

const givenUp = async (): Promise<Page> => {
  const { key, affiliateId, programId } = await makePayable(quick);
  const body = { name: 'Orders', url: receiver.url('/status/500/given-up'), subscribedEvents: ['payout.created'] };
  const endpointId: string = (await quick.call('POST', '/webhooks', { key, body })).data.endpoint.id;
  await quick.call('POST', '/payouts', { key, body: { affiliateId, programId } });
  const deliveries = () => quick.call('GET', `/webhooks/${endpointId}/deliveries`, { key });
  const { data } = await until(deliveries, ({ data }) => data.length > 0, 60_000);
  return finds({ id: `webhook/${data[0].id}`, code: endpointId, namespace: 'background' }, 'Given up');
};

const TIME = /\d{4}-\d\d-\d\d \d\d:\d\d UTC/.source;
const LATER = /workflows with the filter `WorkflowId STARTS_WITH "payout\//;
const CREATED = /: Payout created, by \*\*/;

/** Who is paid how much, its state, what happens next and when, who does what, why, and what happened before. */
const CASES: readonly {
  name: string;
  make: () => Promise<Page>;
  state: RegExp;
  next: RegExp;
  toDo: RegExp;
  why: RegExp;
  before: RegExp;
}[] = [
  {
    ...{ name: 'pending', make: pending, state: /\*\*Pending\*\*/, next: /Waiting for: its first attempt/ },
    ...{ toDo: /Attempts: none yet/, why: /Waiting for/, before: /Timeline/ },
  },
  {
    ...{
      name: 'processing',
      make: async () => finds(await pays('unknown-unpaid-always'), 'Look-ups'),
      state: /\*\*Processing\*\*/,
    },
    ...{
      next: new RegExp(`look-up \\d+ at ${TIME}`),
      toDo: /a person decides after 24 h/,
      why: /outcome unknown/,
      before: /Attempt 1 reserved/,
    },
  },
  {
    ...{ name: 'awaiting-finance', make: awaitingFinance, state: /\*\*Awaiting finance\*\*/ },
    ...{ next: new RegExp(`reminder 1 at ${TIME}`), toDo: new RegExp(`What to do until ${TIME}\\*\\*: POST .*/process`) },
    ...{
      why: new RegExp(`Cancellation requested in Temporal\\*\\* by \\*\\*.+\\*\\* at ${TIME}: it has no effect. .*/cancel`),
      before: CREATED,
    },
  },
  {
    ...{ name: 'overdue', make: overdue, state: /⚠ \*\*Review\*\*/, next: /finance to pay and mark as paid/ },
    ...{
      toDo: new RegExp(`What to do until ${TIME}`),
      why: /still unpaid after the last reminder/,
      before: /Reminder 2: waiting to be paid/,
    },
  },
  {
    ...{ name: 'on-hold', make: onHold, state: /⏸ \*\*On hold\*\*/, next: /a contradiction of another payout to be resolved/ },
    ...{
      toDo: /Resolve the contradiction of another payout to this affiliate: 20\.00 USD, recorded as failed, reported as paid/,
    },
    ...{ why: /another payout of this affiliate was reported both paid and failed/, before: CREATED },
  },
  {
    ...{
      name: 'review',
      make: review,
      state: /⚠ \*\*Review\*\*/,
    },
    ...{
      next: new RegExp(`look-up \\d+ at ${TIME}`),
      toDo: new RegExp(`What to do until ${TIME}\\*\\*: Search for .*/complete .*/fail`),
    },
    ...{ why: /has no such order/, before: /Manual review required: the provider has no record/ },
  },
  {
    ...{ name: 'contradiction', make: contradiction, state: /⚠ \*\*Contradiction\*\*/, next: new RegExp(`look 1 at ${TIME}`) },
    ...{
      toDo: new RegExp(`What to do until ${TIME}\\*\\*: Ask the provider`),
      why: /\| State \| .?failed, transfer failed \| .?paid \|/,
    },
    before: /which contradicts the record/,
  },
  {
    ...{ name: 'paid', make: async () => finds(await pays('ok'), '✓ **Paid**'), state: /✓ \*\*Paid\*\*/ },
    ...{ next: new RegExp(`\\*\\*Ended\\*\\* ${TIME}`), toDo: LATER, why: /Reference: trf/, before: /Paid by the provider/ },
  },
  {
    ...{ name: 'failed', make: async () => finds(await pays('fail-closed'), '✗ **Failed**'), state: /✗ \*\*Failed\*\*/ },
    ...{
      next: new RegExp(`\\*\\*Ended\\*\\* ${TIME}. Before anything is paid again, read`),
      toDo: /ask the affiliate for new details first/,
    },
    ...{ why: /provider's reason `account_closed`/, before: /Attempt 1 sent: failed \\\(account\\_closed\\\)/ },
  },
  {
    ...{ name: 'cancelled', make: cancelled, state: /✗ \*\*Cancelled\*\*/, next: new RegExp(`\\*\\*Ended\\*\\* ${TIME}`) },
    ...{ toDo: LATER, why: /cancelled before anything was sent/, before: /: Cancelled, by \*\*/ },
  },
  {
    ...{ name: 'returned', make: returned, state: /✗ \*\*Not paid after all\*\*/, next: new RegExp(`Booked: ${TIME}`) },
    ...{
      toDo: /Before anything is paid again, read/,
      why: /Why: the provider returned the payment/,
      before: /Was: completed\n- Is: failed/,
    },
  },
  {
    ...{
      name: 'superseded',
      make: copied,
      state: /\*\*Superseded\*\*/,
      next: /another run shows this payout/,
      toDo: /Payout: \[/,
    },
    ...{ why: /this one is a copy, or was reset/, before: /Payout: \[/ },
  },
  {
    ...{
      name: 'run-draft',
      make: async () => (await drafted('ok', 'ok', 'ok', 'ok')).page,
      state: /\*\*Draft\*\*: 120\.00 USD to 6 affiliates/,
    },
    ...{
      next: new RegExp(`deadline at ${TIME}`),
      toDo: new RegExp(`What to do until ${TIME}\\*\\*: Read GET .*/confirm`),
      why: /a person to confirm it/,
      before: /Drafted by: .+/,
    },
  },
  {
    ...{
      name: 'run-running',
      make: () => runIn('2 in progress, 0 to come', 'ok', 'fail-closed', 'unknown-unpaid-always', 'unknown-unpaid-always'),
      state: /\*\*Running\*\*: 100\.00 USD to 5 affiliates/,
    },
    ...{
      next: new RegExp(`look \\d+ at ${TIME}`),
      toDo: /3 of 5 are final \(60 %\), 2 in progress/,
      why: /AFFILIATE_BLOCKED/,
      before: new RegExp(`Confirmed by: .+, ${TIME}`),
    },
  },
  {
    ...{
      name: 'run-completed',
      make: () => runIn('✓ **Completed', 'ok', 'ok', 'ok', 'fail-closed'),
      state: /✓ \*\*Completed with exceptions\*\*/,
    },
    ...{
      next: new RegExp(`Ended: ${TIME}`),
      toDo: /What changed since: GET/,
      why: /`rail_rejected`|`invalid_details`/,
      before: /AFFILIATE_BLOCKED/,
    },
  },
  {
    ...{ name: 'flag', make: flagged, state: /⏸ \*\*Open\*\*/, next: new RegExp(`Deadline: ${TIME}, then it`) },
    ...{
      toDo: new RegExp(`What to do until ${TIME}\\*\\*: Read the evidence`),
      why: /self-referral/,
      before: new RegExp(`Opened: ${TIME}`),
    },
  },
  {
    ...{ name: 'application', make: applied, state: /\*\*Waiting for the merchant\*\*/, next: new RegExp(`at ${TIME}`) },
    ...{ toDo: new RegExp(`What to do until ${TIME}\\*\\*: Look at GET .*/approve, .*/decline`), why: /application to/ },
    before: new RegExp(`applied by api at ${TIME}`),
  },
  {
    ...{ name: 'delivery', make: givenUp, state: /\*\*✗ Given up/, next: /What happened since: GET/ },
    ...{ toDo: /What happened since/, why: /status 500, http\\_5xx/, before: new RegExp(`- ${TIME}: status 500`) },
  },
];

/** Cases that are about no amount. */
const WITHOUT_AMOUNT = ['superseded', 'application', 'delivery'];

const shown: Record<string, Page> = {};

it.each(CASES)(
  '$name: the page answers who and how much, state, next, who does what, why, and what before',
  async (expected) => {
    const page = await expected.make();
    shown[expected.name] = page;
    const answers = [expected.state, expected.next, expected.toDo, expected.why, expected.before];
    // A signal is shown before the workflow has decided what it waits for.
    await until(
      () => readPage(page).catch(() => ''),
      (text) => answers.every((answer) => new RegExp(answer).test(text)),
    ).catch(() => {});
    const text = await readPage(page);
    if (!WITHOUT_AMOUNT.includes(expected.name)) expect(text).toMatch(/[20]0\.00 USD[^\n]*/);
    expect(text).toContain(page.code);
    for (const answer of answers) expect(text).toMatch(answer);
    expect(text).not.toMatch(/undefined|null|NaN|@[a-z]|DE89/);
  },
  120_000,
);

if (process.env['SCREENSHOTS'])
  it('the pictures of the pages are renewed', () => takePictures(temporal.uiUrl ?? '', shown, IMAGES), 360_000);
