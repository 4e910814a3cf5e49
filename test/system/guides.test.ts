import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, cp, mkdtemp, readFile, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { GUIDES, type Guide } from '../../src/api/guides.ts';
import { killSample, readSamples, runPage } from '../docs/samples.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const NOT_CHECKED_OUT = ['.git', '.data', 'node_modules'];

/** Where a reader has the project, after `npm ci`. */
let project: string;
/** For samples that are run where they stand. */
let folder: string;
let system: ChildProcess;
let stack: Record<string, string>;

const startSystem = async (): Promise<void> => {
  const { PATH, HOME } = process.env;
  system = spawn('npm', ['start'], { cwd: project, env: { PATH, HOME }, detached: true });
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  let text = '';
  for (const stream of [system.stdout, system.stderr])
    stream?.on('data', (chunk) => {
      text += String(chunk);
      if (text.includes('Press Ctrl-C to stop')) resolve();
    });
  system.once('exit', () => reject(new Error(`npm start ended:\n${text}`)));
  await promise;
};

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tributary-samples-'));
  project = await mkdtemp(join(tmpdir(), 'tributary-reader-'));
  // The PostgreSQL user passes through when root runs the tests.
  await chmod(project, 0o711);
  await cp(ROOT, project, { recursive: true, filter: (path) => !NOT_CHECKED_OUT.includes(basename(path)) });
  await symlink(join(ROOT, 'node_modules'), join(project, 'node_modules'));
  await startSystem();
  stack = JSON.parse(await readFile(join(project, '.data/stack.json'), 'utf8'));
});

afterAll(async () => {
  const ended = once(system, 'exit');
  process.kill(-Number(system.pid), 'SIGINT');
  await ended;
  killSample(system);
  for (const path of [project, folder]) await rm(path, { recursive: true, force: true });
});

interface Seen {
  text: string;
  /** Each line of JSON; of a response, its data. */
  // biome-ignore lint/suspicious/noExplicitAny: results of every shape
  printed: any[];
}

/** What the reader of a page sees who runs its samples from top to bottom. */
const read = async (path: string, sections?: readonly string[]): Promise<Seen> => {
  const text = await runPage(await readSamples(path, sections), { folder, cwd: project });
  const lines = text.split('\n').filter((line) => /^\{.*\}$/.test(line));
  return { text, printed: lines.map((line) => JSON.parse(line)).map((json) => json.data ?? json) };
};

/** What the API returns to the key that the samples use. */
const get = async (path: string) => {
  const response = await fetch(stack['apiUrl'] + path, { headers: { authorization: `Bearer ${stack['merchantKey']}` } });
  // biome-ignore lint/suspicious/noExplicitAny: responses of every shape
  return ((await response.json()) as { data: any }).data;
};

const statusOf = async (url = ''): Promise<number> => (await fetch(url)).status;

test('N4, N9: the commands of the README report a sale, pay it, and sign in', async () => {
  const { text, printed } = await read('README.md', ['Your first sale', 'Your first payout', 'Admin CLI']);
  const [sale, conversions, [unpayable, payable], created, listed, timeline] = printed;
  expect(sale).toMatchObject({ outcome: 'recorded' });
  expect(conversions).toMatchObject([{ id: sale.conversionId, amount: 9900, commission: 1980 }]);
  expect(unpayable).toMatchObject({ name: 'Edsger Demo', hasPayoutMethod: false });
  const grace = { affiliateId: stack['payableAffiliateId'], currency: 'usd' };
  expect(payable).toMatchObject({ ...grace, name: 'Grace Demo' });
  expect(created).toMatchObject({ ...grace, status: 'pending' });
  // The commission of the sale is approved within seconds, before these commands or after.
  for (const amount of [payable.pendingAmount, created.amount]) expect([3000, 4980]).toContain(amount);
  expect(listed).toMatchObject([{ id: created.id, status: 'completed' }]);
  expect(timeline.length).toBeGreaterThan(3);
  expect(text).toContain('create-affiliate');
  expect(await statusOf(/"url": "(.*\/sign-in\/link\?token=.*)"/.exec(text)?.[1])).toBe(200);
});

/** What each guide promises to who runs it. */
const OUTCOMES: Readonly<Record<Exclude<Guide, 'overview'>, (seen: Seen) => void | Promise<void>>> = {
  'getting-started': ({ printed: [me, program, affiliate, sale, pending, payout, paid, timeline] }) => {
    expect(me.owner).toHaveProperty('merchantId');
    expect([program.name, affiliate.status, sale.outcome]).toEqual(['Acme Partners', 'approved', 'recorded']);
    expect(pending).toMatchObject([{ affiliateId: affiliate.id, pendingAmount: 1_980, meetsThreshold: true }]);
    expect(payout).toMatchObject({ affiliateId: affiliate.id, amount: 1_980, currency: 'usd', status: 'pending' });
    expect(paid).toMatchObject({ id: payout.id, status: 'completed' });
    expect(timeline.length).toBeGreaterThan(3);
  },
  'report-a-sale': async ({ printed: [sale, ofNode, ofPython, refund, signUp] }) => {
    for (const { outcome } of [sale, ofNode, ofPython, refund, signUp]) expect(outcome).toBe('recorded');
    expect(new Set([sale, ofNode, ofPython].map(({ conversionId }) => conversionId)).size).toBe(3);
    expect(refund).toEqual(sale);
    const refunded = { amount: 9_900, refundedAmount: 4_900, commission: 1_000, status: 'partially_refunded' };
    expect(await get(`/conversions/${sale.conversionId}`)).toMatchObject(refunded);
  },
  tracking: async ({ text, printed: [program, status] }) => {
    const { code } = await get(`/affiliates/${stack['payableAffiliateId']}`);
    expect(text).toMatch(/^\d+ bytes$/m);
    const landing = `https://www.acme.example/\\?utm_source=newsletter&via=${code}&agentref_cid=clk_\\w{32}`;
    expect(text).toMatch(new RegExp(`^302 ${landing}$`, 'm'));
    expect(text).toMatch(/^ok clk_\w{32}$/m);
    expect([program.website, status.programId]).toEqual(['https://www.acme.example', stack['programId']]);
  },
  'links-and-coupons': ({ printed: [program, link, inactive, deleted, links, , coupon, coupons, removed] }) => {
    expect(program.allowedLandingPages).toHaveLength(2);
    expect(link).toMatchObject({
      code: expect.stringMatching(/^spring-\d+$/),
      url: `https://www.acme.example/pricing?via=${link.code}`,
    });
    expect([inactive.isActive, deleted.id]).toEqual([false, link.id]);
    expect(links.map(({ id }: { id: string }) => id)).not.toContain(link.id);
    expect(coupon).toMatchObject({ affiliateId: stack['payableAffiliateId'], code: expect.stringMatching(/^GRACE-\d+$/) });
    expect([coupons, removed.id]).toEqual([[coupon], coupon.id]);
  },
  paypal: ({ printed: [{ accounts, rails }] }) => {
    expect(accounts).toEqual([]);
    expect(rails).toContainEqual(expect.objectContaining({ rail: 'paypal' }));
  },
  'stripe-connect': ({ printed }) => expect(printed).toEqual([]),
  stripe: ({ text, printed }) => {
    expect(text).toMatch(/^reason: STRIPE_NOT_CONFIGURED$/m);
    const [, payment, unattributed, contradiction] = printed;
    expect([payment.outcome, contradiction.outcome]).toEqual(['unattributed', 'needs_review']);
    expect(unattributed).toMatchObject([{ externalSaleId: 'pi_test_1', amount: 9_900, reason: 'NO_MATCH' }]);
    expect(text).toMatch(/"eventId":"evt_8800_\d+",.*"reason":"PAYLOAD_MISMATCH"/);
  },
  webhooks: ({ text, printed: [created, settings, delivery, replay, resent, events, changed] }) => {
    expect(created).toMatchObject({ endpoint: { status: 'active' }, signingSecret: expect.stringMatching(/^whsec_/) });
    expect(settings.extendedEvents).toEqual(['payout.needs_attention', 'payout.returned']);
    expect(delivery).toMatchObject({ status: 'succeeded', trigger: 'test' });
    expect(text).toMatch(/^received payout\.completed [0-9a-f-]{36}$/m);
    expect(text).toMatch(/^200$/m);
    expect([replay.state, resent.id, events.length, changed.maxInFlight]).toEqual(['running', delivery.id, 2, 8]);
    const listed = text.match(/^[a-z_]+\.[a-z_]+ [0-9a-f-]{36}$/gm) ?? [];
    expect(listed.length).toBeGreaterThan(20);
    expect(new Set(listed).size).toBe(listed.length);
  },
  'people-and-roles': async ({ printed: [invite, link] }) => {
    expect(invite.url).toContain('/sign-in/invite?token=');
    expect(link.code).toMatch(/^\d{6}$/);
    for (const { url } of [invite, link]) expect(await statusOf(url)).toBe(200);
  },
  'let-affiliates-join': async ({ text, printed: [program, portal, domain, applications] }) => {
    expect([program.portalSlug, portal.name, domain.domain.host]).toEqual([
      'acme-friends',
      'Acme Circle',
      'partners.acme.example',
    ]);
    expect(applications).toEqual([]);
    const pages = text.match(/^http:\S+\/(?:join|i)\/\S+$/gm) ?? [];
    expect(pages).toHaveLength(2);
    for (const page of pages) expect(await statusOf(page)).toBe(200);
  },
  affiliates: ({ printed }) => {
    const [invite, terms, claim, waiting, approved, added, special, normal, bonus, bonuses, balance, trusted, ...last] = printed;
    expect([invite.status, terms.programName, claim.status]).toEqual(['open', 'Acme Club', 'pending']);
    expect(waiting).toMatchObject([{ id: claim.applicationId, status: 'pending' }]);
    expect(approved).toMatchObject({ id: claim.applicationId, status: 'approved', affiliateId: claim.affiliateId });
    expect(added).toMatchObject({ name: 'Grace Example', status: 'approved' });
    expect(special).toMatchObject({ id: added.id, commissionPercent: 12.5, payoutsPaused: true });
    expect(normal).toMatchObject({ commissionPercent: null, payoutsPaused: false });
    expect([bonus.amount, bonuses.length, balance.stats.payable, trusted.trustTier]).toEqual([2_500, 1, 2_500, 'trusted']);
    const [blocked, unblocked, info, overview] = last;
    expect([blocked.status, unblocked.status]).toEqual(['blocked', 'approved']);
    expect([info.paypalEmail, overview]).toEqual([expect.stringContaining('@'), expect.any(Object)]);
  },
  'embed-the-portal': ({ text, printed: [program, token] }) => {
    expect([program.embedOrigins, token.url]).toEqual([['https://app.acme.example'], expect.stringMatching(/^http:/)]);
    expect(text).toMatch(/^200$/m);
    expect(text).toMatch(/^<iframe title="Your referrals" src="http:\S+" allow="clipboard-write"/m);
  },
  flags: ({ printed: [, , flag, resolved, merchant, , preferences] }) => {
    const opened = { affiliateId: stack['payableAffiliateId'], type: 'manual_review', status: 'open', conversionCount: 1 };
    expect(flag).toMatchObject(opened);
    expect(resolved).toMatchObject({ id: flag.id, status: 'dismissed', holdEndedAt: expect.any(String) });
    expect([merchant.flagReviewDays, preferences.weeklyDigest]).toEqual([14, true]);
  },
  'marketing-resources': ({ text, printed }) => {
    expect(printed.at(-1)).toMatchObject({ resource: { status: 'published' }, notification: { accepted: true } });
    expect(text).toContain('200 application/zip');
    expect(text).toMatch(/^I plan my week with Demo program: \S+ #ad$/m);
  },
  'pay-everybody': async ({ text, printed: [, ...leftOut] }) => {
    expect(text).toMatch(/"status": "draft",\n {2}"total": \{\n {4}"usd": \d+/);
    expect(leftOut).toContainEqual({ code: expect.any(String), amount: 5_500, reason: 'PAYOUT_DETAILS_MISSING' });
    expect(text).toMatch(/^"running"$/m);
    expect(text).toMatch(/"progress": \{/);
    const [file] = text.match(/^http:\S+$/gm) ?? [];
    expect(await (await fetch(String(file))).text()).toContain('PAYOUT_DETAILS_MISSING');
  },
  'pay-manually': async ({ printed: [bonus, pending, created, processing, instructions, completed, , month] }) => {
    expect([bonus.amount, created.amount, processing.status, completed.status]).toEqual([
      2_500,
      2_500,
      'processing',
      'completed',
    ]);
    expect(pending).toContainEqual(expect.objectContaining({ name: 'Hana Example', payoutMethod: 'bank_transfer' }));
    const recipient = { bankIban: 'DE89370400440532013000', bankAccountHolder: 'Hana Example' };
    expect(instructions).toMatchObject({ payoutId: created.id, amountDecimal: '25.00', recipient });
    expect(completed).toMatchObject({ rail: 'manual', method: 'bank_transfer' });
    expect(await statusOf(month.url)).toBe(200);
    expect(await readFile(join(project, 'payouts.csv'), 'utf8')).toMatch(/^\uFEFFpayoutId,programName,/);
  },
  reconcile: ({ printed: [report, status, runs] }) => {
    expect(report).toMatchObject({
      ok: true,
      comparisons: [{ rail: 'sandbox', problem: null, differences: 0 }],
      differences: [],
    });
    expect(status).toEqual({ openDifferences: 0, comparedAt: expect.any(String), paymentsHeld: null });
    expect(runs).toMatchObject([{ id: report.comparisons[0].runId, status: 'completed', trigger: 'operator' }]);
  },
  'close-a-month': async ({ text, printed: [closed, balances] }) => {
    const totals = closed.totals.map(({ account, balance }: Record<string, unknown>) => [account, balance]);
    expect([closed.status, totals]).toEqual([
      'closed',
      [
        ['merchant_expense', -2_500],
        ['payable', 2_500],
      ],
    ]);
    expect(text).toMatch(/^merchant_expense USD -25\.00\npayable USD 25\.00$/m);
    expect(balances.length).toBeGreaterThan(2);
    const journal = (name: string) => readFile(join(project, `${name}-${closed.period}.csv`), 'utf8');
    expect(await journal('whole-journal')).toBe(await journal('journal'));
    expect(await get('/ledger/periods')).toContainEqual(expect.objectContaining({ period: closed.period, status: 'open' }));
  },
  billing: ({ printed: [billing] }) => expect(billing).toMatchObject({ tier: 'pro', currency: 'usd' }),
  authentication: ({ text, printed: [me, key] }) => {
    expect([me.key.keyType, key.value]).toEqual(['full', expect.stringMatching(/^ak_live_/)]);
    expect(text.match(/^full \d+$/gm)).toHaveLength(2);
  },
  errors: ({ printed: [refused] }) =>
    expect(refused).toMatchObject({ error: { code: 'BAD_REQUEST' }, meta: { requestId: 'my-request-1' } }),
  idempotency: ({ text, printed: [first, again] }) => {
    expect(again).toEqual(first);
    expect(text).toMatch(/^true$/m);
  },
  pagination: ({ text }) => expect(Number(text)).toBeGreaterThan(4),
  'rate-limits': ({ text }) => expect(text.match(/^x-ratelimit-\w+: \d+/gim)).toHaveLength(3),
  sandbox: ({ printed: [bonus, payout] }) =>
    expect([bonus.amount, payout.status, payout.amount]).toEqual([2_500, 'failed', 2_500]),
  sepa: ({ printed: [preview, made, ...rest] }) => {
    expect(preview).toMatchObject({ account: 'DE89…3000', payments: 2, total: 5_000, currency: 'eur', changedNames: 1 });
    expect(made).toMatchObject({ files: [{ status: 'ready', payments: 2, total: 5_000 }], refused: [] });
    const [file, ...imports] = rest.toReversed();
    expect(imports.map(({ kind, repeated }) => [kind, repeated])).toEqual([
      ['statement', false],
      ['statement', false],
      ['status', false],
      ['status', false],
    ]);
    expect(file.results).toEqual({ open: 0, accepted: 0, paid: 1, failed: 1, returned: 0 });
  },
};

test('every guide but the overview has samples, and an outcome here', () => {
  expect(GUIDES.filter((guide) => !Object.hasOwn(OUTCOMES, guide))).toEqual(['overview']);
});

test.each(Object.entries(OUTCOMES))('N5, IN10: the guide %s runs from top to bottom, as printed', async (guide, check) => {
  const seen = await read(`docs/guides/${guide}.md`);
  if (guide !== 'errors') expect(seen.text).not.toMatch(/^\{"error":/m);
  await check(seen);
});
