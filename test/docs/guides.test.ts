import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { GUIDES, type Guide } from '../../src/api/guides.ts';
import { deliveryHeaders } from '../../src/domains/webhooks/signature.ts';
import { findFreePort } from '../../src/local/stack/index.ts';
import { generateSigningSecret } from '../../src/platform/crypto/standard-webhooks.ts';
import { makeBooks } from '../api/ledger/support.ts';
import { type TestApi, useOwnApi } from '../support/api.ts';
import { makeAffiliateKey, makePayable, makeProgram } from '../support/factories.ts';
import { rowsOf } from '../support/rail-payouts.ts';
import { until } from '../support/until.ts';
import { readSamples, runSample, shellSession, startSample } from './samples.ts';

const api = useOwnApi();
let folder: string;
let origin: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tributary-guides-'));
});
beforeAll(async () => {
  origin = await api.app.listen({ port: 0, host: '127.0.0.1' });
  api.runtime.settings.publicUrl = origin;
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** A merchant of its own and the environment of a reader: URL, key and ids. */
const reader = async (api: TestApi) => {
  const made = await makePayable(api);
  const env = {
    TRIBUTARY_URL: origin,
    TRIBUTARY_KEY: made.key,
    PROGRAM_ID: made.programId,
    AFFILIATE_ID: made.affiliateId,
    REFERRAL_CODE: made.code,
    EVENT_SECRET: made.eventSecret,
    RECEIVER_URL: 'http://127.0.0.1:9/webhooks',
    AFFILIATE_KEY: await makeAffiliateKey(api.runtime, made.profileId),
  };
  return { ...made, env };
};

const jsonLines = (text: string) =>
  text
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line));

/** Some are run below, `pay-manually` on a whole system in test/e2e/pay-manually-guide.test.ts, and `people-and-roles` in test/system/admin.test.ts. */
const OTHERS: readonly Guide[] = ['webhooks', 'pay-manually', 'people-and-roles', 'marketing-resources', 'close-a-month'];
const WITHOUT_SERVERS = GUIDES.filter((guide) => !OTHERS.includes(guide));

test.each(WITHOUT_SERVERS)('N5: every sample of the guide %s runs', async (guide) => {
  const { env } = await reader(api);
  const samples = await readSamples(`docs/guides/${guide}.md`);
  const printed = await runSample(folder, shellSession(samples), env);
  if (guide !== 'errors') expect(printed).not.toContain('"error"');
  for (const sample of samples.filter(({ language }) => language !== 'sh')) {
    expect(await runSample(folder, sample, env)).not.toBe('');
  }
});

test('N3: report-a-sale records sales and a refund with curl, Node and Python', async () => {
  const { env, key } = await reader(api);
  const samples = await readSamples('docs/guides/report-a-sale.md');
  const [sale, refund] = jsonLines(await runSample(folder, shellSession(samples), env));
  expect(sale.data).toEqual({ outcome: 'recorded', conversionId: expect.any(String) });
  expect(refund.data).toEqual(sale.data);
  for (const language of ['js', 'python'] as const) {
    const [sample] = samples.filter((one) => one.language === language);
    const [result] = jsonLines(await runSample(folder, sample ?? { language, code: '' }, env));
    expect(result).toEqual({ outcome: 'recorded', conversionId: expect.any(String) });
  }
  const { data } = await api.call('GET', '/conversions', { key });
  expect(data).toHaveLength(4);
  expect(data.find(({ id }: { id: string }) => id === sale.data.conversionId)).toMatchObject({
    amount: 9900,
    refundedAmount: 4900,
    commission: 1000,
    status: 'partially_refunded',
  });
});

test('the marketing resources guide publishes a post with an image, which an affiliate renders', async () => {
  const { env, merchantId } = await reader(api);
  await rowsOf(api, `update merchant set billing_tier = 'pro' where id = ? returning id`, [merchantId]);
  const samples = await readSamples('docs/guides/marketing-resources.md');
  const session = shellSession(samples);
  const printed = await runSample(folder, { ...session, code: `cd '${folder}'\n${session.code}` }, env);
  expect(jsonLines(printed).at(-1).data).toMatchObject({ resource: { status: 'published' }, notification: { accepted: true } });
  expect(printed).toContain('200 application/zip');
  const [js = { language: 'js' as const, code: '' }] = samples.filter(({ language }) => language === 'js');
  expect(await runSample(folder, js, env)).toMatch(/^I plan my week with Program \w+: \S+ #ad\n$/);
});

test('the guide closes the first open month, whose file adds up to its figures', async () => {
  const { post, key, month } = await makeBooks(api);
  await post(`${month(-1)}-10T12:00:00.000Z`, 12_345);
  await post(`${month(-1)}-11T12:00:00.000Z`, -345);
  const session = shellSession(await readSamples('docs/guides/close-a-month.md'));
  const env = { TRIBUTARY_URL: origin, TRIBUTARY_KEY: key };
  const printed = await runSample(folder, { ...session, code: `cd '${folder}'\n${session.code}` }, env);
  const [closed, balances] = jsonLines(printed).map(({ data }) => data);
  expect(closed).toMatchObject({ period: month(-1), status: 'closed' });
  expect(closed.totals.map(({ account, balance }: Record<string, unknown>) => [account, balance])).toEqual([
    ['merchant_expense', -12_000],
    ['payable', 12_000],
  ]);
  expect(printed).toMatch(/^merchant_expense USD -120.00\npayable USD 120.00\n/m);
  expect(balances).toMatchObject([{ amount: -12_000 }, { amount: 12_000 }]);
});

test('the tracking guide follows a redirect link and reports a click from a server', async () => {
  const { env, code } = await reader(api);
  const samples = await readSamples('docs/guides/tracking.md');
  const printed = await runSample(folder, shellSession(samples), env);
  expect(printed).toMatch(
    new RegExp(`302 https://www.acme.example/\\?utm_source=newsletter&via=${code}&agentref_cid=clk_\\w{32}`),
  );
  const [js = { language: 'js' as const, code: '' }] = samples.filter(({ language }) => language === 'js');
  expect(await runSample(folder, js, env)).toMatch(/^ok clk_\w{32}\n$/);
});

/** What the shell samples of a guide print, as JSON. */
const session = async (guide: string, env: Record<string, string>) =>
  jsonLines(await runSample(folder, shellSession(await readSamples(`docs/guides/${guide}.md`)), env)).map(({ data }) => data);

test('the affiliates guide takes a person from an invite to an affiliate, and adds, adjusts, blocks and unblocks another', async () => {
  const { env } = await reader(api);
  const [invite, terms, claim, waiting, approved, added, special, normal, bonus, bonuses, balance, trusted, blocked, unblocked] =
    await session('affiliates', env);
  expect([invite.status, terms.programName, claim.status]).toEqual(['open', 'Acme Club', 'pending']);
  expect(waiting).toMatchObject([{ id: claim.applicationId, status: 'pending' }]);
  expect(approved).toMatchObject({ id: claim.applicationId, status: 'approved', affiliateId: claim.affiliateId });
  expect(added).toMatchObject({ name: 'Grace Example', status: 'approved' });
  expect(special).toMatchObject({ id: added.id, commissionPercent: 12.5, payoutsPaused: true });
  expect(normal).toMatchObject({ commissionPercent: null, payoutsPaused: false });
  expect([bonus.amount, bonuses.length, balance.stats.payable]).toEqual([2_500, 1, 2_500]);
  expect([trusted.trustTier, blocked.status, unblocked.status]).toEqual(['trusted', 'blocked', 'approved']);
});

test('the flags guide holds a commission and ends the hold', async () => {
  const { env, affiliateId } = await reader(api);
  const [open, stats, flag, resolved, merchant, , preferences] = await session('flags', env);
  expect([open, stats.total]).toEqual([[], 0]);
  expect(flag).toMatchObject({ affiliateId, type: 'manual_review', status: 'open', conversionCount: 1 });
  expect(resolved).toMatchObject({ id: flag.id, status: 'dismissed', holdEndedAt: expect.any(String) });
  expect([merchant.flagReviewDays, preferences.weeklyDigest]).toEqual([14, true]);
});

test('the guide to links and coupons creates one of each', async () => {
  const { env, affiliateId } = await reader(api);
  const [program, link, inactive, deleted, links, , coupon, coupons, removed] = await session('links-and-coupons', env);
  expect(program.allowedLandingPages).toHaveLength(2);
  expect(link).toMatchObject({
    code: expect.stringMatching(/^spring-\d+$/),
    url: `https://www.acme.example/pricing?via=${link.code}`,
  });
  expect([inactive.isActive, deleted.id]).toEqual([false, link.id]);
  expect(links.map(({ id }: { id: string }) => id)).not.toContain(link.id);
  expect(coupon).toMatchObject({ affiliateId, code: expect.stringMatching(/^GRACE-\d+$/) });
  expect([coupons, removed.id]).toEqual([[coupon], coupon.id]);
});

test('N5: a retry with the same Idempotency-Key creates one program', async () => {
  const { env, key } = await reader(api);
  const samples = await readSamples('docs/guides/idempotency.md');
  const [first, second] = (await runSample(folder, shellSession(samples), env)).match(/"id":"[^"]+"/g) ?? [];
  expect(first).toBe(second);
  const [js] = samples.filter(({ language }) => language === 'js');
  expect(await runSample(folder, js ?? { language: 'js', code: '' }, env)).toBe('true\n');
  expect((await api.call('GET', '/programs', { key })).meta.total).toBe(3);
});

test('N5: the errors guide shows an error as it is returned', async () => {
  const { env } = await reader(api);
  const [printed] = jsonLines(await runSample(folder, shellSession(await readSamples('docs/guides/errors.md')), env));
  expect(printed).toMatchObject({ error: { code: 'BAD_REQUEST' }, meta: { requestId: 'my-request-1' } });
});

const eventBody = (id: string): Buffer => Buffer.from(JSON.stringify({ id, type: 'payout.completed', data: { name: 'Zoë €' } }));

const waitForPort = (port: number) =>
  until('the receiver listens', async () => {
    const socket = connect(port, '127.0.0.1');
    const opened = await Promise.race([once(socket, 'connect').then(() => true), once(socket, 'error').then(() => false)]).catch(
      () => false,
    );
    socket.destroy();
    return opened;
  });

test.each(['js', 'python'] as const)('N5: the webhook receiver in %s verifies what Tributary signs', async (language) => {
  const secret = generateSigningSecret();
  const port = await findFreePort(0);
  const [sample] = (await readSamples('docs/guides/webhooks.md')).filter((one) => one.language === language);
  const child = await startSample(folder, sample ?? { language, code: '' }, { WEBHOOK_SECRET: secret, PORT: String(port) });
  let printed = '';
  child.stdout?.on('data', (chunk) => (printed += String(chunk)));
  try {
    await waitForPort(port);
    const send = async (eventId: string, options: { secrets?: string[]; at?: Date; body?: Buffer } = {}): Promise<number> => {
      const signed = eventBody(eventId);
      const { secrets = [secret], at = new Date() } = options;
      const headers = deliveryHeaders({ eventId, at, body: signed, secrets });
      const response = await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', headers, body: options.body ?? signed });
      return response.status;
    };
    const other = generateSigningSecret();
    expect([await send('evt-1'), await send('evt-1'), await send('evt-2', { secrets: [other, secret] })]).toEqual([
      200, 200, 200,
    ]);
    expect(await send('evt-3', { secrets: [other] })).toBe(401);
    expect(await send('evt-4', { body: eventBody('evt-5') })).toBe(401);
    expect(await send('evt-6', { at: new Date(Date.now() - 301_000) })).toBe(401);
    expect((await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', body: '{}' })).status).toBe(401);
    expect(printed.trim().split('\n')).toEqual(['received payout.completed evt-1', 'received payout.completed evt-2']);
  } finally {
    child.kill('SIGKILL');
    await once(child, 'close');
  }
});

test('N5: the webhooks guide follows the cursor of the list of events: a second run prints only what is new', async () => {
  const { env, key } = await reader(api);
  const [, sample] = (await readSamples('docs/guides/webhooks.md')).filter(({ language }) => language === 'js');
  const poll = async () => {
    const printed = await runSample(folder, sample ?? { language: 'js', code: '' }, {
      ...env,
      CURSOR_FILE: join(folder, 'cursor'),
    });
    return printed.split('\n').filter((line) => line !== '');
  };
  const isListed = async (count: number) =>
    until(
      `${count} events are listed`,
      () => api.call('GET', '/events', { key }),
      ({ data }) => data.length >= count,
    );
  const { data } = await isListed(4);
  expect(data.map(({ type }: { type: string }) => type)).toEqual([
    'program.created',
    'affiliate.joined',
    'affiliate.approved',
    'conversion.created',
  ]);
  expect(await poll()).toEqual(data.map((event: { type: string; id: string }) => `${event.type} ${event.id}`));
  expect(await poll()).toEqual([]);
  const { programId } = await makeProgram(api, key);
  await isListed(data.length + 1);
  expect([programId, await poll()]).toEqual([programId, [expect.stringMatching(/^program\.created /)]]);
});

/** Of a test event, to an endpoint that does not respond. */
const makeDelivery = async ({ key, env }: Awaited<ReturnType<typeof reader>>): Promise<string> => {
  const body = { name: 'Orders', url: env.RECEIVER_URL, subscribedEvents: ['payout.completed'] };
  const made = await api.call('POST', '/webhooks', { key, body });
  return (await api.call('POST', `/webhooks/${made.data.endpoint.id}/test`, { key })).data.id;
};

test('N5: the shell commands of the webhooks guide create an endpoint, compute a signature and resend a delivery', async () => {
  const merchant = await reader(api);
  const { env } = merchant;
  const deliveryId = await makeDelivery(merchant);
  const secret = generateSigningSecret();
  const body = eventBody('evt-1');
  const headers = deliveryHeaders({ eventId: 'evt-1', at: new Date(), body, secrets: [secret] });
  await writeFile(join(folder, 'body'), body);
  const printed = await runSample(folder, shellSession(await readSamples('docs/guides/webhooks.md')), {
    ...env,
    WEBHOOK_SECRET: secret,
    ID: 'evt-1',
    TIMESTAMP: headers['webhook-timestamp'] ?? '',
    BODY: join(folder, 'body'),
    DELIVERY_ID: deliveryId,
  });
  expect(jsonLines(printed)[0].data).toMatchObject({ endpoint: { status: 'active' }, signingSecret: expect.any(String) });
  const printedData = jsonLines(printed).map(({ data }) => data);
  expect(printedData).toContainEqual(expect.objectContaining({ id: deliveryId, trigger: 'test' }));
  expect(printed).toContain(`\n${headers['webhook-signature']}\n`);
  expect(printed).toContain('"state":"running"');
});
