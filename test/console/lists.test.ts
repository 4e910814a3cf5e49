import { PAGES } from '../../src/console/pages/index.ts';
import { runSql } from '../../src/local/stack/sql.ts';
import { actingFor, useConsole } from '../support/console.ts';
import { ownerUrlOf } from '../support/many-commissions.ts';
import { openVisitor, problemsAfter, useBrowserOn } from '../support/page-checks.ts';
import { makeManualPayout } from '../support/payouts.ts';

const pages = useConsole(PAGES);
const site = useBrowserOn(pages.api);

/** A merchant with so many failed payouts besides the one that waits to be paid. */
const makeMany = async (failed: number) => {
  const payout = await makeManualPayout(pages.api);
  await runSql(
    ownerUrlOf(pages.api),
    `insert into payout (id, merchant_id, program_id, affiliate_id, profile_id, affiliate_code, affiliate_name, program_name, amount, currency,
        status, method, rail, created_by, created_at, updated_at, failed_at)
      select uuidv7(), merchant_id, program_id, affiliate_id, profile_id, affiliate_code, affiliate_name, program_name, amount, currency,
        'failed', method, rail, created_by, created_at - n * interval '1 hour', updated_at, created_at
      from payout, generate_series(1, ${failed}) n where id = '${payout.payoutId}'`,
  );
  return { ...payout, cookies: { tributary_session_3000: pages.sessions.open({ merchant: actingFor(payout) }) } };
};

test('25 payouts stand on a screen of 1440 by 900', async () => {
  const { cookies } = await makeMany(40);
  const { page } = await openVisitor({ ...site, cookies, more: { viewport: { width: 1440, height: 900 } } });
  await page.goto('/console/payouts');
  const bottom = await page.evaluate<number>("document.querySelectorAll('tbody tr')[24].getBoundingClientRect().bottom");
  expect(bottom).toBeLessThanOrEqual(900);
  await page.context().close();
});

describe.each([
  ['with scripts', true],
  ['without scripts', false],
])('%s', (_how, javaScriptEnabled) => {
  it('a list is filtered, read on and back, and its rows lead to their pages', async () => {
    const { cookies, payoutId } = await makeMany(30);
    const { page, reports } = await openVisitor({ ...site, cookies, more: { javaScriptEnabled } });
    await page.goto('/console/payouts');
    await page.getByRole('link', { name: 'Next', exact: true }).click();
    await page.getByText('6 of 31').waitFor();
    await page.getByRole('link', { name: 'Previous' }).click();
    await page.getByText('25 of 31').waitFor();
    await page.getByRole('combobox', { name: 'Status' }).selectOption('pending');
    if (!javaScriptEnabled) await page.getByRole('button', { name: 'Filter' }).click();
    await page.getByText('1 of 1', { exact: true }).waitFor();
    expect(new URL(page.url()).searchParams.get('status')).toBe('pending');
    expect(await page.getByRole('link', { name: 'Export as CSV' }).getAttribute('href')).toContain('status=pending');
    // Beside the link, which covers the row.
    await page
      .locator('tbody tr td')
      .last()
      .click({ position: { x: 2, y: 2 }, force: true });
    await page.waitForURL(`**/console/payouts/${payoutId}`);
    expect(reports).toEqual([]);
    await page.context().close();
  });

  it('columns are chosen, and stay chosen for this person', async () => {
    const { cookies } = await makeMany(1);
    const { page, reports } = await openVisitor({ ...site, cookies, more: { javaScriptEnabled } });
    await page.goto('/console/payouts?status=failed');
    expect(await page.getByRole('columnheader', { name: 'Provider fee' }).count()).toBe(0);
    await page.locator('.menu-of summary').click();
    await page.getByLabel('Provider fee').check();
    await page.getByLabel('Program', { exact: true }).uncheck();
    await page.getByRole('button', { name: 'Apply' }).click();
    await page.getByRole('columnheader', { name: 'Provider fee' }).waitFor();
    expect(new URL(page.url()).search).toBe('?status=failed');
    await page.goto('/console/payouts');
    expect(await page.getByRole('columnheader', { name: 'Provider fee' }).count()).toBe(1);
    expect(await page.getByRole('columnheader', { name: 'Program' }).count()).toBe(0);
    expect(reports).toEqual([]);
    await page.context().close();
  });

  it('an action asks with its figures, and does nothing when it is closed', async () => {
    const { cookies, payoutId, read } = await makeMany(0);
    const { page, reports } = await openVisitor({ ...site, cookies, more: { javaScriptEnabled } });
    await page.goto(`/console/payouts/${payoutId}`);
    await page.getByRole('link', { name: 'Cancel payout' }).click();
    const asked = javaScriptEnabled ? page.getByRole('dialog') : page.getByRole('main');
    await asked.getByText('Nothing is sent. The amount is payable again.').waitFor();
    expect(await asked.getByText('$20.00').count()).toBeGreaterThan(0);
    await (javaScriptEnabled
      ? asked.getByRole('button', { name: 'Close' })
      : asked.getByRole('link', { name: 'Not now' })
    ).click();
    expect((await read()).status).toBe('pending');
    await page.getByRole('link', { name: 'Cancel payout' }).click();
    await asked.getByRole('button', { name: 'Cancel payout' }).click();
    await page.getByText('Cancelled. The amount is payable again.').waitFor();
    expect((await read()).status).toBe('failed');
    expect(reports).toEqual([]);
    await page.context().close();
  });
});

test('an open dialog and an open choice of columns are accessible, and fit on a phone', async () => {
  const { cookies, payoutId } = await makeMany(1);
  const dialog = await problemsAfter({ ...site, cookies }, async (page) => {
    await page.goto(`/console/payouts/${payoutId}`);
    await page.getByRole('link', { name: 'Cancel payout' }).click();
    await page.getByRole('dialog').waitFor();
  });
  const choice = await problemsAfter({ ...site, cookies }, async (page) => {
    await page.goto('/console/payouts');
    await page.locator('.menu-of summary').click();
    await page.getByLabel('Provider fee').waitFor();
  });
  expect([...dialog, ...choice]).toEqual([]);
});
