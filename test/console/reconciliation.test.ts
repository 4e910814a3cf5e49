import { PAGES } from '../../src/console/pages/index.ts';
import { SCOPES_OF } from '../../src/contracts/scopes.ts';
import { findPaymentsHold, holdPayments, liftPaymentsHold } from '../../src/domains/payouts/index.ts';
import { actingFor, hiddenFields, pageProblems, useConsole } from '../support/console.ts';
import { makeDifference } from '../support/differences.ts';
import { draftRun, makePayees } from '../support/payout-runs.ts';

const pages = useConsole(PAGES);
const { api, sessions } = pages;
const systemOf = () => api.runtime.context({ kind: 'system', name: 'test' });

const open = async () => {
  const made = await makePayees(api, [{ amount: 10_000 }]);
  const by = { session: sessions.open({ merchant: actingFor(made, SCOPES_OF.merchant) }) };
  const { runId } = await draftRun(api, made);
  const show = async (path: string): Promise<string> => {
    const { status, html } = await pages.get(path, by);
    expect({ path, status, problems: pageProblems(html) }).toEqual({ path, status: 200, problems: [] });
    return html
      .replace(/^.*<main/s, '<main')
      .replaceAll(/<[^>]+>/g, ' ')
      .replaceAll('&#39;', "'")
      .replaceAll(/\s+/g, ' ');
  };
  return { ...made, by, show, places: ['/console', `/console/pay/runs/${runId}`, '/console/reconciliation'] };
};

test('while payments are held, everybody who pays sees why, wherever they would pay', async () => {
  const { show, places } = await open();
  await holdPayments(systemOf(), { cause: 'database_behind' });
  for (const path of places) {
    const text = await show(path);
    expect(text).toContain('All payments are on hold since');
    expect(text).toContain('restored from a backup');
    expect(text).toContain("Don't pay anything outside of this system");
  }
  const hold = await findPaymentsHold(systemOf());
  await liftPaymentsHold(systemOf(), { id: hold?.id ?? '', note: 'The books agree' });
  for (const path of places) expect(await show(path)).not.toContain('on hold since');
});

test('payments that differ wait on Home, and are resolved on their page with a note', async () => {
  const { show, by, merchantId } = await open();
  expect(await show('/console')).not.toContain('payments Review');
  const ids = [await makeDifference(api, { merchantId }), await makeDifference(api, { merchantId, kind: 'fee' })];
  expect(await show('/console')).toMatch(/Reconciliation 2 payments – – Review/);
  expect(await show('/console/reconciliation')).toContain('Not in our books');
  const { html } = await pages.get('/console/reconciliation', by);
  const fields = { ...hiddenFields(html), differenceId: ids[0] ?? '', note: 'It was a purchase' };
  await pages.post('/console/reconciliation', fields, by);
  expect(await show('/console')).toMatch(/Reconciliation 1 payment – – Review/);
});
