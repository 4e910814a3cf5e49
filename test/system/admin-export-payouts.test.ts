import { mkdir, mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeManualRun } from '../api/payout-runs/by-hand.ts';
import { useOwnApi } from '../support/api.ts';
import {
  makeAffiliate,
  makeAffiliateKey,
  makeMerchant,
  makeProgram,
  sendSale,
  type TestMerchant,
  type TestProgram,
} from '../support/factories.ts';
import { rowsOf } from '../support/rail-payouts.ts';
import { operatorEnv, runProgram } from '../support/run-program.ts';

const api = useOwnApi();
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tributary-export-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const HEADER =
  '\uFEFFpayoutId,programName,affiliateCode,method,bankAccountHolder,bankIban,paypalEmail,amount,currency,amountMinor,reference,bankBic';

const exportPayouts = (args: readonly string[]) => {
  const { DATABASE_URL, ENCRYPTION_KEYS } = api.runtime.config;
  const keys = ENCRYPTION_KEYS.map(({ id, key }) => `${id}:${key.toString('base64')}`).join(',');
  return runProgram(['bin/admin.ts', 'export-payouts', ...args], operatorEnv(DATABASE_URL, { ENCRYPTION_KEYS: keys }));
};

const makePayoutIn = async (
  merchant: TestMerchant,
  program: TestProgram,
  { holder, bankBic }: { holder: string; bankBic?: string },
): Promise<string> => {
  const { affiliateId, code, profileId } = await makeAffiliate(api.runtime, program.programId, { holder });
  if (bankBic !== undefined) {
    await api.call('PATCH', '/me/payout-info', { key: await makeAffiliateKey(api.runtime, profileId), body: { bankBic } });
  }
  await sendSale(api, program, { amount: 10_000, referralCode: code });
  const body = { affiliateId, programId: program.programId };
  return (await api.call('POST', '/payouts', { key: merchant.key, body })).data.id;
};

const makeTwo = async () => {
  const merchant = await makeMerchant(api.runtime);
  const program = await makeProgram(api, merchant.key, { name: '=HYPERLINK("http://x","Partners")' });
  const ids = [
    await makePayoutIn(merchant, program, { holder: 'Ada, "A" Example' }),
    await makePayoutIn(merchant, program, { holder: '+1 Bea', bankBic: 'COBADEFFXXX' }),
  ];
  const bank = ['--merchant', merchant.merchantId, '--method', 'bank_transfer'];
  const status = async (id = '') => (await api.call('GET', `/payouts/${id}`, { key: merchant.key })).data.status;
  const act = (id: string | undefined, verb: string) => api.call('POST', `/payouts/${id}/${verb}`, { key: merchant.key });
  return { ...merchant, program, ids, bank, status, act };
};

it('N2: starts what it exports, writes it once to a private file, and records it', async () => {
  const { key, ids, bank, status, act } = await makeTwo();
  const out = join(folder, 'first.csv');
  const run = await exportPayouts([...bank, '--process', '--out', out, '--json']);
  expect(run).toEqual({
    code: 0,
    out: `${JSON.stringify({ file: out, exported: 2, exportedBefore: 0, skipped: 0 })}\n`,
    err: '',
  });
  expect((await stat(out)).mode & 0o777).toBe(0o600);
  const lines = (await readFile(out, 'utf8')).split('\r\n');
  expect(lines).toHaveLength(4);
  expect(lines[0]).toBe(HEADER);
  const program = `"'=HYPERLINK(""http://x"",""Partners"")"`;
  const tail = `DE89370400440532013000,,20.00,USD,2000,`;
  expect(lines[1]).toMatch(`${ids[0]},${program},`);
  expect(lines[1]).toMatch(`,bank_transfer,"Ada, ""A"" Example",${tail}${ids[0]},`);
  expect(lines[2]).toMatch(`,bank_transfer,'+1 Bea,${tail}${ids[1]},COBADEFFXXX`);
  expect([await status(ids[0]), await status(ids[1])]).toEqual(['processing', 'processing']);
  expect((await act(ids[0], 'cancel')).error.details.reason).toBe('ATTEMPT_STARTED');
  const timeline = (await api.call('GET', `/payouts/${ids[0]}/timeline`, { key })).data;
  expect(timeline).toMatchObject([
    { type: 'created' },
    { type: 'attempt_reserved', to: 'processing', actor: 'system:operator' },
    { type: 'exported', actor: 'system:operator' },
  ]);
});

it('N2: a second export leaves out what was exported before, unless --again asks for it', async () => {
  const { ids, bank } = await makeTwo();
  await exportPayouts([...bank, '--process']);
  const second = await exportPayouts([...bank, '--process']);
  expect(second.out).toBe(`${HEADER}\r\n`);
  for (const id of ids) expect(second.err).toContain(`${id}: exported before, at 20`);
  expect((await exportPayouts([...bank, '--again'])).out.match(/bank_transfer/g)).toHaveLength(2);
});

it('N2: two exports at once never contain the same payout', async () => {
  const { ids, bank } = await makeTwo();
  const runs = await Promise.all([exportPayouts([...bank, '--process']), exportPayouts([...bank, '--process'])]);
  const all = runs.map(({ out }) => out).join('');
  for (const id of ids) expect(all.split(`\n${id},`)).toHaveLength(2);
});

it('without --process it exports processing payouts only; other programs, methods and merchants are left out', async () => {
  const { merchantId, ids, bank, status, act } = await makeTwo();
  await act(ids[1], 'process');
  const other = await makeTwo();
  expect((await exportPayouts(['--merchant', merchantId, '--method', 'paypal', '--process'])).out).toBe(`${HEADER}\r\n`);
  expect((await exportPayouts([...bank, '--program', other.program.programId, '--process'])).out).toBe(`${HEADER}\r\n`);
  const { out } = await exportPayouts(bank);
  expect(out).toContain(`${ids[1]},`);
  expect(out).not.toContain(`${ids[0]},`);
  expect([await status(ids[0]), await other.status(other.ids[0])]).toEqual(['pending', 'pending']);
});

it('payouts of a paused run are left out, also those that were in progress before the pause', async () => {
  const { merchantId, payoutIds, act, pause, timeline } = await makeManualRun(api, 1);
  await act('process');
  await pause();
  const run = await exportPayouts(['--merchant', merchantId, '--method', 'bank_transfer']);
  expect([run.code, run.out]).toEqual([0, `${HEADER}\r\n`]);
  expect(run.err).toContain(`${payoutIds[0]}: The run of the payout is paused; resume it first`);
  expect(await timeline(payoutIds[0] ?? '')).not.toContain('exported');
});

it('an existing file is kept, and nothing is started', async () => {
  const { ids, bank, status } = await makeTwo();
  const out = join(folder, 'kept.csv');
  await exportPayouts([...bank, '--out', out]);
  const { code, err } = await exportPayouts([...bank, '--process', '--out', out]);
  expect([code, await readFile(out, 'utf8')]).toEqual([1, `${HEADER}\r\n`]);
  expect(err).toMatch(/^error: [^\n]*kept\.csv[^\n]*\n$/);
  expect(await status(ids[0])).toBe('pending');
});

it('an unknown merchant is an error', async () => {
  const run = await exportPayouts(['--merchant', '01890000-0000-7000-8000-000000000000', '--method', 'paypal']);
  expect([run.code, run.out]).toEqual([1, '']);
  expect(JSON.parse(run.err)).toMatchObject({ error: { code: 'NOT_FOUND' } });
});

describe('M5: of a run', () => {
  it.each(['csv', 'paypal', 'wise'] as const)('%s: the bytes are those of the API, one file for each', async (format) => {
    const { runId, act, file, program, key } = await makeManualRun(api, 2);
    // Paid by PayPal, and in another currency.
    for (const currency of ['usd', 'eur']) {
      const { affiliateId, code } = await makeAffiliate(api.runtime, program.programId, `p+${currency}`);
      await sendSale(api, program, { amount: 10_000, referralCode: code });
      const { data } = await api.call('POST', '/payouts', { key, body: { affiliateId, programId: program.programId } });
      await rowsOf(api, `update payout set payout_run_id = ?, currency = ? where id = ?`, [runId, currency, data.id]);
    }
    await act('process');
    const { files, omitted } = (await file(format)).data;
    const out = join(folder, `run-${format}`);
    const before = join(folder, `before-${format}`);
    const left = await exportPayouts(['--run', runId, '--format', format, '--out', before, '--json']);
    const count = files.reduce((sum: number, { payouts }: { payouts: number }) => sum + payouts, 0);
    expect(JSON.parse(left.out)).toMatchObject({ files: [], exportedBefore: count });
    expect(left.err).toContain(`${count} payouts were in a file before, last at `);
    const run = await exportPayouts(['--run', runId, '--format', format, '--again', '--out', out, '--json']);
    expect(run.code).toBe(0);
    const names = files.map(({ name, payouts }: { name: string; payouts: number }) => ({ name, payouts }));
    expect(JSON.parse(run.out)).toEqual({ folder: out, files: names, omitted: omitted.length, exportedBefore: count });
    expect((await readdir(out)).sort()).toEqual(files.map(({ name }: { name: string }) => name).sort());
    for (const { name, content } of files) {
      expect(await readFile(join(out, name))).toEqual(Buffer.from(content));
      expect((await stat(join(out, name))).mode & 0o777).toBe(0o600);
    }
    expect((await stat(out)).mode & 0o777).toBe(0o700);
    for (const id of omitted) expect(run.err).toContain(`${id}: the format cannot pay it`);
  });

  it('the command needs a folder of its own, and nothing is recorded without one', async () => {
    const { runId, act, payoutIds, timeline } = await makeManualRun(api, 1);
    await act('process');
    const out = join(folder, 'there');
    await mkdir(out);
    for (const args of [['--run', runId], ['--run', runId, '--out', out], ['--run', runId, '--out', `${out}2`, '--process'], []])
      expect((await exportPayouts(args)).code).toBe(1);
    expect(await timeline(payoutIds[0] ?? '')).toEqual(['created', 'attempt_reserved']);
  });
});
