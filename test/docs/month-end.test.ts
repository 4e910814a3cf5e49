import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeMerchant, makePayable } from '../support/factories.ts';
import { NOTE, paidPayouts } from '../support/paid-payouts.ts';
import { makeManualPayout } from '../support/payouts.ts';
import { useTestSystem } from '../support/system.ts';
import { until } from '../support/until.ts';
import { readSamples, runSample } from './samples.ts';

const system = useTestSystem({ sandbox: { returnMs: 300 } });
const { bySandbox, contradict } = paidPayouts(system);
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tributary-month-'));
  await mkdir(join(folder, '.data'));
  await writeFile(join(folder, '.data/stack.json'), JSON.stringify({ sandboxUrl: system.sandbox.url }));
  await writeFile(join(folder, '.data/keys.json'), JSON.stringify({ sandboxApiKey: system.sandbox.apiKey }));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const dayOf = (monthsLater: number): string => {
  const now = new Date();
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + monthsLater)).toISOString().slice(0, 10);
};

const lastDay = (): string => new Date(Date.parse(dayOf(1)) - 1).toISOString().slice(0, 10);

/** The objects that each block of the guide prints, for the current month, in pages of one item. */
const runMonthEnd = async (code: string, env: Record<string, string>) => {
  const session = (await readSamples('docs/temporal-ui.md', ['Month-end'])).map((sample) => `${sample.code}echo ---`).join('\n');
  const replaced = session
    .replaceAll('2026-01-01', dayOf(0))
    .replaceAll('2026-01-31', lastDay())
    .replaceAll('2026-02-01', dayOf(1))
    .replace('code=ada', `code=${code.toUpperCase()}`)
    .replaceAll(/limit=\d+/g, 'limit=1');
  const printed = await runSample({ language: 'sh', code: replaced }, { folder, env, cwd: folder });
  return printed.split('---\n').map((block) =>
    block
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line)),
  );
};

test('the commands of the month-end read all pages, add up to the API, find payouts, and print what the provider has otherwise', async () => {
  const merchant = await makeMerchant(system.runtime);
  const paid = await bySandbox('ok', { merchant });
  const returned = await bySandbox('returned', { merchant });
  const denied = await bySandbox('ok', { merchant });
  const doubtful = await bySandbox('ok', { merchant });
  const byHand = await makeManualPayout(system, { merchant });
  await makePayable(system, { merchant });
  await byHand.act('process');
  expect((await byHand.act('complete', { ...NOTE, bankReference: 'SCT 2026-4711' })).status).toBe(200);
  for (const payout of [paid, denied, doubtful]) await payout.ends('completed');
  expect((await denied.act('return', { ...NOTE, evidence: 'Statement 12' })).status).toBe(200);
  await contradict(doubtful.payoutId, 'paid', 'failed');
  await until('the payout is returned', returned.read, ({ failureCode }) => failureCode === 'returned');

  const env = { TRIBUTARY_URL: system.origin, TRIBUTARY_KEY: merchant.key, PAYOUT_ID: byHand.payoutId };
  const [, ofMonth, owed = [], found, , differences] = await runMonthEnd(paid.code, env);
  expect(ofMonth).toEqual([
    { currency: 'usd', count: 5, totalPaid: 6_000, totalFailed: 4_000 },
    { id: doubtful.payoutId, amount: 2_000, currency: 'usd', status: 'completed', reviewReason: 'contradiction' },
  ]);
  const [head = '', ...rows] = (await readFile(join(folder, 'paid-2026-01.csv'), 'utf8')).trim().split(/\r?\n/);
  const fields = rows.map((row) => Object.fromEntries(head.split(',').map((name, n) => [name, row.split(',')[n]])));
  expect(fields.filter((row) => row['returned'] === '').map(({ gross }) => gross)).toEqual(['20.00', '20.00', '20.00']);
  const transfers = await system.sandbox.transfers();
  const ofPaid = transfers.find(({ reference }) => reference === paid.payoutId);
  expect(fields.find(({ payoutId }) => payoutId === paid.payoutId)?.['reference']).toBe(ofPaid?.id);

  expect(owed.filter(({ code }) => code).map(({ pendingAmount }) => pendingAmount)).toEqual([2_000, 2_000, 2_000]);
  expect(owed.filter(({ code }) => !code)).toEqual([
    { currency: 'usd', pendingAmount: 6_000, heldAmount: 0 },
    { currency: 'usd', account: 'merchant_expense', amount: -12_000 },
    { currency: 'usd', account: 'paid', amount: 6_000 },
    { currency: 'usd', account: 'payable', amount: 6_000 },
  ]);
  const shown = (id: string) => ({ id, status: 'completed', amount: 2_000, currency: 'usd' });
  expect(found).toEqual([paid.payoutId, byHand.payoutId, byHand.payoutId, byHand.payoutId].map(shown));
  const amount = { amount: 2_000, currency: 'usd' };
  expect(differences).toEqual([
    { id: denied.payoutId, ours: { ...amount, status: 'returned' }, theirs: [{ ...amount, status: 'paid' }] },
  ]);
});
