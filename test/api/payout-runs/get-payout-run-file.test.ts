import { createHash } from 'node:crypto';
import { anyAddress, useTestApi } from '../../support/api.ts';
import { makeAffiliate, makeKey, makeMerchant, sendSale } from '../../support/factories.ts';
import { untilSomebodyWaits } from '../../support/lock-waits.ts';
import { transactionAs } from '../../support/payout-runs.ts';
import { rowsOf } from '../../support/rail-payouts.ts';
import { makeManualRun } from './by-hand.ts';

const api = useTestApi();

/** The answer for a run of which nothing is processing. */
const NONE = {
  files: [],
  url: null,
  expiresAt: null,
  digest: null,
  items: 0,
  totals: {},
  handedOut: { payouts: 0, lastAt: null, lastBy: null },
};

const open = async (url: string) => {
  const { pathname, search } = new URL(url);
  return api.app.inject({ method: 'GET', url: pathname + search, remoteAddress: anyAddress() });
};

test('the file holds what is processing, with recipients in clear and no formula, and each reading is on the timelines', async () => {
  const { act, file, payoutIds, timeline } = await makeManualRun(api);
  expect((await file()).data).toEqual({ ...NONE, omitted: [] });
  await act('process');
  const { status, data } = await file();
  expect([status, data.files.length, data.files[0].payouts]).toEqual([200, 1, 2]);
  const [header, ...lines] = data.files[0].content.trimEnd().split('\r\n');
  expect(header).toBe(
    '\uFEFFpayoutId,programName,affiliateCode,method,bankAccountHolder,bankIban,paypalEmail,amount,currency,amountMinor,reference,bankBic',
  );
  expect(lines).toHaveLength(2);
  for (const line of lines) expect(line).toMatch(/,bank_transfer,'=Ada \d,DE89370400440532013000,,20\.00,USD,2000,/);
  expect(payoutIds.every((id) => data.files[0].content.includes(id))).toBe(true);
  for (const id of payoutIds) expect(await timeline(id)).toEqual(['created', 'attempt_reserved', 'exported']);
  await file('csv', undefined, { again: 'true' });
  expect((await timeline(payoutIds[0] ?? '')).filter((type) => type === 'exported')).toHaveLength(2);
  // Nothing of the recipients is kept.
  const [log] = await rowsOf(
    api,
    `select count(*)::int as count from payout_timeline where note like '%DE89%' or reason like '%DE89%'`,
  );
  expect(log.count).toBe(0);
});

test('what was paid, a paused run, a reader and another merchant are refused', async () => {
  const { act, file, payoutIds, pause, merchantId } = await makeManualRun(api);
  await act('process');
  await act('complete', { payoutIds: [payoutIds[0]] });
  expect((await file()).data).toMatchObject({ files: [{ payouts: 1 }], items: 1, totals: { usd: 2_000 } });
  const reader = await makeKey(api.runtime, { ownerId: merchantId, scopes: ['payouts:read'] });
  expect((await file('csv', reader.key)).error.code).toBe('INSUFFICIENT_SCOPE');
  expect((await file('csv', (await makeMerchant(api.runtime)).key)).status).toBe(403);
  expect((await file('xlsx')).status).toBe(400);
  await pause();
  expect((await file()).error.details.reason).toBe('RUN_PAUSED');
});

test('B6: a run that is paused while its file is made has no file, rather than a part of one', async () => {
  const { act, file, payoutIds, runId, timeline } = await makeManualRun(api);
  await act('process');
  let reading: ReturnType<typeof file> | undefined;
  await transactionAs(api, async ({ em }) => {
    await em.execute(`update payout_run set status = 'paused', paused_at = now() where id = ?`, [runId]);
    reading = file();
    await untilSomebodyWaits(api);
  });
  expect(await reading).toMatchObject({ status: 409, error: { details: { reason: 'RUN_PAUSED' } } });
  for (const id of payoutIds) expect(await timeline(id)).toEqual(['created', 'attempt_reserved']);
});

test('the file names what is processing as the run does, and gives the same bytes by a URL', async () => {
  const { act, file, read, payoutIds } = await makeManualRun(api);
  await act('process');
  const { data } = await file();
  expect(data).toMatchObject({ items: 2, totals: { usd: 4_000 }, handedOut: NONE.handedOut });
  expect(data.digest).toBe(createHash('sha256').update(payoutIds.toSorted().join()).digest('hex'));
  expect(await read()).toMatchObject({ digest: data.digest, notHandedOut: 0 });
  expect(data.url).toBe(data.files[0].url);
  expect(new Date(data.expiresAt).getTime()).toBeGreaterThan(Date.now());
  const download = await open(data.url);
  expect([download.statusCode, download.body]).toEqual([200, data.files[0].content]);
  expect(download.headers['content-type']).toContain('text/csv');
  const { digest, items, totals: total } = data;
  expect((await act('complete', { digest, items, total })).data.done).toBe(2);
});

test('a payout is handed out once, by two at once too; again only when somebody says so, who sees when and by whom', async () => {
  const { act, file, read, payoutIds, keyId } = await makeManualRun(api, 3);
  await act('process');
  const [first, second] = await Promise.all([file(), file()]);
  const countOf = ({ data }: { data: { files: { payouts: number }[] } }) =>
    data.files.reduce((sum, { payouts }) => sum + payouts, 0);
  expect(countOf(first) + countOf(second)).toBe(3);
  const third = await file();
  const [named] = await rowsOf(api, 'select name from api_key where id = ?', [keyId]);
  const before = { payouts: 3, lastAt: expect.any(String), lastBy: named?.['name'] };
  expect(third.data).toMatchObject({ files: [], omitted: [], url: null, items: 3, handedOut: before });
  const again = await file('csv', undefined, { again: 'true' });
  expect(again.data).toMatchObject({ files: [{ payouts: 3 }], handedOut: before });
  expect(again.data.digest).toBe(third.data.digest);
  await act('complete', { payoutIds: [payoutIds[0]] });
  expect((await read()).digest).not.toBe(third.data.digest);
  expect((await file('csv', undefined, { again: 'yes' })).status).toBe(400);
});

test('what a format cannot pay is not handed out, and is in the file of another one', async () => {
  const { act, file, read, payoutIds, timeline } = await makeManualRun(api);
  await act('process');
  for (const format of ['paypal', 'wise']) {
    const { data } = await file(format);
    expect(data).toMatchObject({ files: [], url: null, items: 2, handedOut: { payouts: 0 } });
    expect(data.omitted.toSorted()).toEqual(payoutIds.toSorted());
  }
  for (const id of payoutIds) expect(await timeline(id)).not.toContain('exported');
  expect((await read()).notHandedOut).toBe(2);
  expect((await file()).data).toMatchObject({ files: [{ payouts: 2 }], omitted: [] });
});

test('a URL gives out no payout that must not be paid any more, and nothing of a paused run', async () => {
  const { act, file, runId, payoutIds, pause } = await makeManualRun(api);
  await act('process');
  const { url } = (await file()).data;
  await act('fail', { payoutIds: [payoutIds[0]] });
  const failed = await open(url);
  expect([failed.statusCode, failed.json().error.details.reason]).toEqual([409, 'NOT_PROCESSING']);
  const again = (await file('csv', undefined, { again: 'true' })).data;
  expect((await open(again.url)).statusCode).toBe(200);
  await pause();
  const paused = await open(again.url);
  expect([paused.statusCode, paused.json().error.details.reason]).toEqual([409, 'RUN_PAUSED']);
  await rowsOf(api, `update payout_run set status = 'running', paused_at = null where id = ?`, [runId]);
  await act('complete', { payoutIds: [payoutIds[1]] });
  const paid = await open(again.url);
  expect([paid.statusCode, paid.json().error.details.reason]).toEqual([409, 'RUN_CHANGED']);
});

test('several files have a URL each', async () => {
  const { act, file, runId, program, key } = await makeManualRun(api, 1);
  for (const currency of ['usd', 'eur']) {
    const { affiliateId, code } = await makeAffiliate(api.runtime, program.programId, `p+${currency}`);
    await sendSale(api, program, { referralCode: code });
    const { data } = await api.call('POST', '/payouts', { key, body: { affiliateId, programId: program.programId } });
    await rowsOf(api, 'update payout set payout_run_id = ?, currency = ? where id = ?', [runId, currency, data.id]);
  }
  await act('process');
  const { data } = await file('paypal');
  expect(data).toMatchObject({ url: null, expiresAt: expect.any(String), items: 3, omitted: [expect.any(String)] });
  expect(data.files).toHaveLength(2);
  for (const { url, content } of data.files) expect((await open(url)).body).toBe(content);
});
