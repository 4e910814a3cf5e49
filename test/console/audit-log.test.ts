import { randomUUID } from 'node:crypto';
import { mountConsole } from '../../src/console/index.ts';
import { useOwnApi } from '../support/api.ts';
import { pageProblems, SCRIPT_TEXT } from '../support/console.ts';
import { openVisitor, shownProblems, useBrowserOn } from '../support/page-checks.ts';
import { callAs, makeCompany, makePerson, type TestPerson } from '../support/people.ts';

const api = useOwnApi({ PUBLIC_URL: 'http://localhost:3000' }, { mounts: [mountConsole] });
const LOG = '/console/settings/audit-log';
const site = useBrowserOn(api);

const cookiesOf = ({ token }: Pick<TestPerson, 'token'>) => ({ tributary_session_3000: token });
const open = async ({ token }: Pick<TestPerson, 'token'>, path: string) => {
  const response = await fetch(`${site.origin}${path}`, {
    redirect: 'manual',
    headers: { cookie: `tributary_session_3000=${token}` },
  });
  return { status: response.status, html: await response.text(), location: response.headers.get('location') ?? '' };
};

/** A merchant of whom two owners changed something. */
const makeChanged = async () => {
  const { owner, merchantId } = await makeCompany(api);
  const second = await makePerson(api, { merchantId });
  await callAs(api, owner.actor, 'updateMerchant', { body: { companyName: `Acme ${SCRIPT_TEXT.slice(0, 90)}` } });
  await callAs(api, second.actor, 'createApiKey', { body: { name: 'Shop', preset: 'readonly' } });
  return { owner, second, merchantId };
};

describe.each([
  ['with scripts', true],
  ['without scripts', false],
])('%s', (_how, javaScriptEnabled) => {
  it('an owner finds out who changed what', async () => {
    const { owner, second } = await makeChanged();
    const { page, reports } = await openVisitor({ ...site, cookies: cookiesOf(owner), more: { javaScriptEnabled } });
    await page.goto('/console/settings');
    await page.getByRole('link', { name: 'Audit log' }).click();
    await page.getByRole('heading', { level: 1, name: 'Audit log' }).waitFor();
    await page.getByRole('row', { name: /merchant: updated/ }).waitFor();
    await page.getByLabel('By, with keys they made').selectOption(second.personId);
    if (!javaScriptEnabled) await page.getByRole('button', { name: 'Filter' }).click();
    await page.waitForURL(`**/*personId=${second.personId}*`);
    await page.getByRole('row', { name: /api key: created/ }).waitFor();
    expect(await page.getByRole('row', { name: /merchant: updated/ }).count()).toBe(0);
    expect(reports).toEqual([]);
    await page.context().close();
  });
});

test('the audit log is accessible, narrow enough and small, and what people typed is text', async () => {
  const { owner } = await makeChanged();
  const { html } = await open(owner, LOG);
  expect([pageProblems(html), html.includes('<script>document')]).toEqual([[], false]);
  const options = { ...site, cookies: cookiesOf(owner) };
  expect(await shownProblems(options, LOG)).toEqual([]);
});

test('days are whole ones, and what is no day is said', async () => {
  const { owner } = await makeChanged();
  const today = new Date().toISOString().slice(0, 10);
  expect((await open(owner, `${LOG}?from=${today}&until=${today}`)).html).toContain('merchant: updated');
  expect((await open(owner, `${LOG}?until=2020-01-31`)).html).toContain('Nothing matches these filters');
  expect((await open(owner, `${LOG}?from=yesterday`)).status).toBe(400);
});

test('MN18: a last day before the first is refused, and not shown as a time without changes', async () => {
  const { owner } = await makeChanged();
  for (const page of [LOG, `${LOG}/export`]) {
    expect((await open(owner, `${page}?from=2026-02-02&until=2026-02-01`)).status).toBe(400);
    expect((await open(owner, `${page}?from=2026-02-02&until=2026-02-02`)).status).toBeLessThan(400);
  }
});

test('the export is the file of the same filters', async () => {
  const { owner, second } = await makeChanged();
  const { status, location } = await open(owner, `${LOG}/export?personId=${second.personId}`);
  const file = await fetch(`${site.origin}${location}`);
  const text = await file.text();
  expect([status, file.status, text.includes('api_key.created'), text.includes('merchant.updated')]).toEqual([
    303,
    200,
    true,
    false,
  ]);
});

test('entries of other merchants are not shown, and only owners see the log', async () => {
  const [mine, foreign] = [await makeChanged(), await makeChanged()];
  for (const query of [
    `personId=${foreign.owner.personId}`,
    `actor=person:${foreign.owner.personId}`,
    `resourceId=${foreign.merchantId}`,
  ])
    expect((await open(mine.owner, `${LOG}?${query}`)).html).toContain('Nothing matches these filters');
  expect((await open(mine.owner, `${LOG}?personId=${randomUUID()}`)).status).toBe(200);
  for (const role of ['finance', 'manager', 'viewer'] as const) {
    const person = await makePerson(api, { merchantId: mine.merchantId, role });
    expect([(await open(person, LOG)).status, (await open(person, `${LOG}/export`)).status]).toEqual([403, 403]);
  }
});
