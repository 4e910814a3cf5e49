import { mkdirSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { PAGES } from '../../src/console/pages/index.ts';
import { actingFor, makeMerchantActing, useConsole } from '../support/console.ts';
import { makeKey } from '../support/factories.ts';
import { shownProblems, useBrowserOn } from '../support/page-checks.ts';
import { draftRun, makePayees } from '../support/payout-runs.ts';
import { makeManualPayout } from '../support/payouts.ts';

const pages = useConsole(PAGES, { TEMPORAL_UI_URL: 'https://temporal.example' });
const site = useBrowserOn(pages.api);

const cookiesOf = (merchant: { merchantId: string; keyId: string }) => ({
  tributary_session_3000: pages.sessions.open({ merchant: actingFor(merchant) }),
});

const SHOTS = process.env['PAGE_SHOTS'];
const shoot = async (name: string, page: Page): Promise<void> => {
  if (SHOTS === undefined) return;
  mkdirSync(SHOTS, { recursive: true });
  await page.screenshot({ path: `${SHOTS}/${name}.png`, fullPage: true });
};

const LONG_NAME = 'Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbau Unterbeamtengesellschaft';

const problemsOf = async (paths: readonly string[], cookies: Record<string, string>, name: string): Promise<string[]> => {
  const found: string[] = [];
  for (const path of paths)
    found.push(...(await shownProblems({ ...site, cookies }, path, (shot, page) => shoot(`${name}${shot}`, page))));
  return found;
};

test('pages of payouts are accessible, narrow enough and small, in every state', async () => {
  const payout = await makeManualPayout(pages.api);
  const { merchantId, keyId, key } = payout;
  const { em } = pages.api.runtime.context({ kind: 'system', name: 'test' });
  await em.execute('update payout set affiliate_name = ? where id = ?', [LONG_NAME, payout.payoutId]);
  const paid = await makeManualPayout(pages.api, { merchant: { merchantId, keyId, key } });
  await paid.act('process');
  await paid.act('complete', { bankReference: 'E2E-2026-000077' });
  const failed = await makeManualPayout(pages.api, { merchant: { merchantId, keyId, key } });
  await failed.act('process');
  await failed.act('fail', { note: 'The account was closed, and the bank sent the money back' });
  const paths = [
    '/console/payouts',
    '/console/payouts?status=processing',
    `/console/payouts/${payout.payoutId}`,
    `/console/payouts/${paid.payoutId}`,
    `/console/payouts/${failed.payoutId}`,
    `/console/payouts/${payout.payoutId}/sales/${payout.conversionId}`,
    '/console/pay/by-hand',
  ];
  expect(await problemsOf(paths, cookiesOf(payout), 'payouts')).toEqual([]);
});

test('pages of runs are accessible, narrow enough and small, in every state', async () => {
  const of = await makePayees(pages.api, [{ amount: 40_000 }, { amount: 20_000 }, { amount: 1_000 }]);
  const cookies = cookiesOf(of);
  const owed = await problemsOf(['/console/pay', '/console'], cookies, 'owed');
  const { keyId: secondId } = await makeKey(pages.api.runtime, { ownerId: of.merchantId });
  await pages.api.call('PATCH', '/merchant', { key: of.key, body: { payoutApprovalThreshold: { usd: 1_000 } } });
  const run = await draftRun(pages.api, of, { name: 'January' });
  const draft = await problemsOf([`/console/pay/runs/${run.runId}`, '/console/pay/runs'], cookies, 'draft');
  expect((await run.confirm()).data.status).toBe('awaiting_approval');
  const second = cookiesOf({ merchantId: of.merchantId, keyId: secondId });
  const waits = await problemsOf([`/console/pay/runs/${run.runId}`, '/console/pay', '/console'], second, 'waits');
  expect([...owed, ...draft, ...waits]).toEqual([]);
});

test('empty pages say what to do', async () => {
  const nobody = await makeMerchantActing(pages);
  const cookies = { tributary_session_3000: pages.sessions.open({ merchant: nobody }) };
  const paths = ['/console', '/console/pay', '/console/pay/runs', '/console/pay/by-hand', '/console/payouts'];
  expect(await problemsOf(paths, cookies, 'empty')).toEqual([]);
});
