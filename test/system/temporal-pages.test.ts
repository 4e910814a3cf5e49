import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { PAYOUT_LIMITS } from '../../src/contracts/payouts.ts';
import { LIST_VIEWS, type ListView } from '../../src/contracts/workflows/views.ts';
import { prepareDataDirectory } from '../../src/local/stack/data-directory.ts';
import { findFreePort } from '../../src/local/stack/index.ts';
import { type OpenTemporal, openTemporal } from '../../src/local/stack/temporal.ts';
import { startTemporalWorkers } from '../../src/worker/temporal-workers.ts';
import { makeApplication } from '../support/applications.ts';
import { makePayable, unique } from '../support/factories.ts';
import { makeFlag } from '../support/flags.ts';
import { PAGE_ANSWERS } from '../support/page-answers.ts';
import * as payouts from '../support/payout-pages.ts';
import { draftRun, makePayees } from '../support/payout-runs.ts';
import { type Receiver, startReceiver } from '../support/receiver/receiver.ts';
import { openTestSystem, type TestSystem } from '../support/system.ts';
import { type Page, type PageSystem, pagesOf, takeListPicture, takePictures } from '../support/temporal-pages.ts';
import { until } from '../support/until.ts';

const IMAGES = fileURLToPath(new URL('../../docs/images/temporal', import.meta.url));
const HOUR = 3_600_000;

let temporal: OpenTemporal;
let system: TestSystem;
let pages: PageSystem;
/** Without workers for activities. */
let quiet: TestSystem;
/** Whose days last seconds: deliveries are given up after three. */
let quick: TestSystem;
let receiver: Receiver;
const closing: (() => Promise<unknown>)[] = [];

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
    runTiming: { checkMs: 100, checkMaxMs: 30_000, windowMs: 100 },
    limits: PAYOUT_LIMITS,
    reconcile: { everyMs: 500, graceMs: 0 },
    sandbox: { returnMs: 300 },
  });
  closing.push(() => system.close());
  pages = pagesOf(system);
  quiet = await openTestSystem({ env, work: false });
  closing.push(() => quiet.close());
  quick = await openTestSystem({ env: { ...env, SECONDS_PER_DAY: '2' } });
  closing.push(() => quick.close());
  receiver = await startReceiver();
  closing.push(() => receiver.stop());
});
afterAll(async () => {
  for (const close of closing.reverse()) await close();
});

const pending = async (): Promise<Page> => {
  const { key, affiliateId, programId, code } = await makePayable(quiet);
  const { data } = await quiet.call('POST', '/payouts', { key, body: { affiliateId, programId } });
  const workers = startTemporalWorkers(quiet.runtime, quiet.runtime.config, { queues: ['workflows'], tracing: null });
  closing.push(() => workers.stop());
  await quiet.relay.round();
  return pages.finds({ id: `payout/${data.id}`, code }, '**Queued**');
};

const flagged = async (): Promise<Page> => {
  const { flagId, code } = await makeFlag(system);
  return pages.finds({ id: `flag/${flagId}`, code }, '**Open**');
};

/** A draft of 120.00 for six affiliates; their addresses say what the provider does. */
const drafted = async (...locals: string[]) => {
  const own = await makePayees(
    system,
    ['ok', 'ok', ...locals].map((local) => ({ amount: 10_000, local: `${local}+${unique()}` })),
  );
  const run = await draftRun(system, own);
  const page = await pages.finds({ id: `payout-run/${run.runId}`, code: 'affiliates' }, '**Draft**');
  return { ...own, run, page };
};

const runIn = async (text: string, ...locals: string[]): Promise<Page> => {
  const { run, page, payees, key } = await drafted(...locals);
  await system.call('POST', `/affiliates/${payees[1]?.affiliateId}/block`, { key, body: {} });
  await run.confirm();
  return pages.finds(page, text);
};

const applied = async (): Promise<Page> => {
  const { applicationId, affiliateId } = await makeApplication(system);
  const page = await pages.finds({ id: `application/${applicationId}`, code: '' }, 'Waiting');
  return { ...page, code: affiliateId };
};

const givenUp = async (): Promise<Page> => {
  const { key, affiliateId, programId } = await makePayable(quick);
  const body = { name: 'Orders', url: receiver.url('/status/500/given-up'), subscribedEvents: ['payout.created'] };
  const endpointId: string = (await quick.call('POST', '/webhooks', { key, body })).data.endpoint.id;
  await quick.call('POST', '/payouts', { key, body: { affiliateId, programId } });
  const deliveries = () => quick.call('GET', `/webhooks/${endpointId}/deliveries`, { key });
  const { data } = await until('the endpoint has a delivery', deliveries, ({ data }) => data.length > 0);
  return pages.finds({ id: `webhook/${data[0].id}`, code: endpointId, namespace: 'background' }, 'Given up');
};

const PAGES: Readonly<Record<string, () => Promise<Page>>> = {
  'awaiting-approval': () => payouts.awaitingApproval(pages),
  pending,
  processing: async () => pages.finds(await payouts.pays(pages, 'unknown-unpaid-always'), 'Look-ups'),
  'awaiting-finance': () => payouts.awaitingFinance(pages),
  overdue: () => payouts.overdue(pages),
  'on-hold': () => payouts.onHold(pages),
  review: () => payouts.review(pages),
  contradiction: () => payouts.contradiction(pages),
  paid: async () => pages.finds(await payouts.pays(pages, 'ok'), '✓ **Paid**'),
  failed: async () => pages.finds(await payouts.pays(pages, 'fail-closed'), '✗ **Failed**'),
  cancelled: () => payouts.cancelled(pages),
  returned: () => payouts.returned(pages),
  superseded: () => payouts.copied(pages),
  'unconfirmed-return': () => payouts.unconfirmedReturn(pages),
  'run-draft': async () => (await drafted('ok', 'ok', 'ok', 'ok')).page,
  'run-running': () => runIn('2 in progress, 0 to come', 'ok', 'fail-closed', 'unknown-unpaid-always', 'unknown-unpaid-always'),
  'run-completed': () => runIn('✓ **Completed', 'ok', 'ok', 'ok', 'fail-closed'),
  flag: flagged,
  application: applied,
  delivery: givenUp,
};

const shown: Record<string, Page> = {};

it.each(PAGE_ANSWERS)(
  '$name: the page answers who and how much, state, next, who does what, why, and what before',
  async (expected) => {
    const make = PAGES[expected.name];
    if (!make) throw new Error(`nothing makes ${expected.name}`);
    const page = await make();
    shown[expected.name] = page;
    const who = expected.who?.(page) ?? `20.00 USD to ${page.code}`;
    const answers = [expected.state, expected.next, expected.toDo, expected.why, expected.before];
    // A signal is shown before the workflow has decided what it waits for.
    await until(
      `the page says who, and what ${expected.name} needs`,
      () => pages.readPage(page).catch(() => ''),
      (text) => text.includes(who) && answers.every((answer) => answer.test(text)),
    ).catch(() => {});
    const text = await pages.readPage(page);
    expect(text).toContain(who);
    for (const answer of answers) expect(text).toMatch(answer);
    expect(text).not.toMatch(/undefined|null|NaN|@[a-z]|DE89/);
  },
);

/** What is open and what needs a person, of all pages above. */
const LISTED: Readonly<Record<string, readonly string[]>> = {
  'Needs a person': ['contradiction', 'overdue', 'payoutContradiction', 'review', 'run-draft', 'unconfirmed-return'],
  'Waiting for approval': ['awaiting-approval'],
  'Needs finance': [
    ...['awaiting-approval', 'awaiting-finance', 'contradiction', 'overdue', 'payoutContradiction', 'review', 'run-draft'],
    'unconfirmed-return',
  ],
  'On hold': ['on-hold'],
  'Returned or corrected': ['returned', 'unconfirmed-return'],
  Runs: ['run-completed', 'run-draft', 'run-running'],
  'Deliveries given up': ['delivery'],
};

const viewOf = (name: string): ListView => {
  const view = LIST_VIEWS.find((view) => view.name === name);
  if (!view) throw new Error(`no view ${name}`);
  return view;
};

describe('the views of the guide', () => {
  const startedAt = new Date();
  const namesOf = async ({ namespace, query }: ListView): Promise<string[]> => {
    const names = new Map(Object.entries(shown).map(([name, { id }]) => [id, name]));
    const found: string[] = [];
    const list = system.temporal.clients[namespace].workflow.list({ query: query(startedAt) });
    for await (const { workflowId, type } of list) found.push(names.get(workflowId) ?? type);
    return found.sort();
  };

  // The contradiction without a page is the one that a payout on hold waits for.
  it.each(LIST_VIEWS.filter(({ name }) => name in LISTED))('$name lists what its name says, and nothing else', async (view) => {
    const expected = LISTED[view.name];
    await until(
      `${view.name} lists what it should`,
      () => namesOf(view),
      (found) => JSON.stringify(found) === JSON.stringify(expected),
    ).catch(() => {});
    expect(await namesOf(view)).toEqual(expected);
  });

  const paidIn = async ({ runtime }: TestSystem): Promise<number> => {
    const { em } = runtime.context({ kind: 'system', name: 'test' });
    const paid = await em.execute(`select coalesce(sum(amount), 0)::float / 100 as total from payout where status = 'completed'`);
    return paid[0]?.['total'];
  };

  it('Paid this month adds up to what was paid', async () => {
    const { query } = viewOf('Paid this month');
    const sums = async () => {
      let listed = 0;
      for await (const { searchAttributes } of system.temporal.clients.finance.workflow.list({ query: query(startedAt) }))
        listed += Number(searchAttributes['PaidAmount']?.[0] ?? 0);
      return { listed, booked: (await paidIn(system)) + (await paidIn(quick)) };
    };
    const { booked } = await until('the lists show as much as is booked', sums, ({ listed, booked }) => listed === booked);
    expect(booked).toBeGreaterThan(0);
    expect(LIST_VIEWS.map(({ name }) => name).filter((name) => !(name in LISTED))).toEqual(['Paid this month']);
  });
});

if (process.env['SCREENSHOTS'])
  it('the pictures of the pages are renewed', async () => {
    const uiUrl = temporal.uiUrl ?? '';
    await takePictures(uiUrl, shown, IMAGES);
    await takeListPicture(uiUrl, viewOf('Waiting for finance').query(new Date()), join(IMAGES, 'waiting-for-finance.png'));
    await takeListPicture(uiUrl, 'WorkflowId STARTS_WITH "payout"', join(IMAGES, 'list.png'));
  });
