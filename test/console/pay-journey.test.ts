import type { Browser, Page } from 'playwright-core';
import { consoleOf } from '../../src/console/mount-console.ts';
import { PAGES } from '../../src/console/pages/index.ts';
import { endVisits, sharedBrowser } from '../support/browser.ts';
import { actingFor, TestSessions } from '../support/console.ts';
import { makeKey } from '../support/factories.ts';
import { openVisitor } from '../support/page-checks.ts';
import { draftRun, makePayees } from '../support/payout-runs.ts';
import { useTestSystem } from '../support/system.ts';
import { until } from '../support/until.ts';

const sessions = new TestSessions();
const system = useTestSystem({ mounts: [consoleOf({ pages: PAGES, sessions: () => sessions })] });
let browser: Browser;

beforeAll(async () => {
  browser = await sharedBrowser();
});
afterAll(endVisits);

/** A merchant who lets a second person approve from 10.00 on, with two people and payees of whom one is owed too little. */
const makeTeam = async () => {
  const of = await makePayees(system, [
    { amount: 40_000, local: undefined },
    { amount: 20_000, local: undefined },
    { amount: 1_000, local: undefined },
    { amount: 60_000, local: undefined },
  ]);
  const { keyId } = await makeKey(system.runtime, { ownerId: of.merchantId });
  const body = { payoutApprovalThreshold: { usd: 1_000 } };
  expect((await system.call('PATCH', '/merchant', { key: of.key, body })).status).toBe(200);
  const visit = async (person: { keyId: string }, javaScriptEnabled: boolean) => {
    const session = sessions.open({ merchant: actingFor({ merchantId: of.merchantId, keyId: person.keyId }) });
    const cookies = { [`tributary_session_${new URL(system.origin).port}`]: session };
    return openVisitor({ browser, origin: system.origin, cookies, more: { javaScriptEnabled } });
  };
  return { ...of, finance: { keyId: of.keyId }, owner: { keyId }, visit };
};

const press = (page: Page, name: string | RegExp): Promise<void> => page.getByRole('button', { name }).click();
/** What asks first: the question opens, and is answered. */
const pressAndConfirm = async (page: Page, name: string): Promise<void> => {
  await page.getByRole('link', { name, exact: true }).click();
  await press(page, name);
};
const textOf = async (page: Page): Promise<string> => (await page.locator('main').textContent()) ?? '';

describe.each([
  ['with scripts', true],
  ['without scripts', false],
])('%s', (_how, javaScriptEnabled) => {
  it('finance drafts a run of some, an owner approves it, it pays, and what was not paid is explained', async () => {
    const { payees, finance, owner, visit } = await makeTeam();
    const { page, reports } = await visit(finance, javaScriptEnabled);
    await page.goto('/console');
    await page.getByRole('link', { name: 'Pay', exact: true }).click();
    await page.getByRole('heading', { level: 1, name: 'Pay' }).waitFor();
    for (const { code } of payees.slice(0, 3)) await page.getByLabel(code).check();
    await page.getByLabel('Name of the payout run').fill('January');
    await press(page, 'Draft payout run');

    await page.getByRole('heading', { level: 1, name: 'January Draft' }).waitFor();
    const draft = await textOf(page);
    expect(draft).toContain('Below the minimum payout');
    expect(draft).not.toContain(payees[3]?.code);
    await page.getByLabel(payees[1]?.code ?? '').check();
    await press(page, 'Remove selected');
    await page.getByText('1 removed').waitFor();
    expect(await textOf(page)).toContain('Removed from the draft');
    await pressAndConfirm(page, 'Confirm $80.00 to 1 affiliate');
    await page.getByText('Someone else has to approve it now').waitFor();
    expect(await page.getByRole('button', { name: 'Approve' }).count()).toBe(0);

    const { page: other, reports: otherReports } = await visit(owner, javaScriptEnabled);
    await other.goto('/console');
    await other
      .getByRole('row', { name: /January/ })
      .getByRole('link', { name: 'Approve' })
      .click();
    await other.getByRole('heading', { level: 1, name: 'January Awaiting approval' }).waitFor();
    await pressAndConfirm(other, 'Approve');
    await other.getByText('Approved. The payout run has started.').waitFor();
    await until(
      'the page shows the run as completed',
      async () => {
        await other.reload();
        return other.getByRole('heading', { level: 1 }).textContent();
      },
      (heading) => heading?.includes('Completed') === true,
    );
    await other.getByRole('link', { name: new RegExp(payees[0]?.code ?? '') }).click();
    await other.getByRole('heading', { level: 1, name: /^\$80\.00 to .* Paid$/ }).waitFor();
    const file = await textOf(other);
    for (const part of ['The affiliate has the money.', payees[0]?.saleId ?? '', 'Attempt 1 sent', 'Approved with the run'])
      expect(file).toContain(part);
    expect([...reports, ...otherReports]).toEqual([]);
    await page.context().close();
    await other.context().close();
  });
});

test('while a run goes on, scripts refresh its progress and nothing else', async () => {
  const of = await makePayees(system, [
    { amount: 20_000, local: { holder: 'Ada' } },
    { amount: 20_000, local: { holder: 'Bea' } },
  ]);
  const run = await draftRun(system, of);
  await run.confirm();
  const payoutIds = await until(
    'the run has two payouts',
    async () => (await run.itemsOf()).flatMap(({ payoutId }: { payoutId: string | null }) => payoutId ?? []),
    ({ length }) => length === 2,
  );
  await run.act('process');
  const session = sessions.open({ merchant: actingFor(of) });
  const cookies = { [`tributary_session_${new URL(system.origin).port}`]: session };
  const { page, reports } = await openVisitor({ browser, origin: system.origin, cookies });
  await page.goto(`/console/pay/runs/${run.runId}`);
  expect(await page.locator('#progress').textContent()).toContain('0 of 2 completed or failed');
  await page.getByText('Mark all as paid').click();
  await page.getByLabel('Note').fill('typed before');
  await system.call('POST', `/payouts/${payoutIds[0]}/complete`, { key: of.key, body: {} });
  await page.locator('#progress', { hasText: '1 of 2 completed or failed' }).waitFor();
  expect(await page.getByLabel('Note').inputValue()).toBe('typed before');
  await system.call('POST', `/payouts/${payoutIds[1]}/complete`, { key: of.key, body: {} });
  await page.locator('#progress:not([hx-get])', { hasText: '2 of 2 completed or failed' }).waitFor();
  expect(reports).toEqual([]);
  await page.context().close();
});
