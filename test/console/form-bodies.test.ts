import { PAGES } from '../../src/console/pages/index.ts';
import { makeManualRun } from '../api/payout-runs/by-hand.ts';
import { anyAddress } from '../support/api.ts';
import { actingFor, hiddenFields, useConsole } from '../support/console.ts';
import { draftRun, makePayees } from '../support/payout-runs.ts';

const pages = useConsole(PAGES);
const { api, sessions } = pages;

const sessionOf = (merchant: { merchantId: string; keyId: string }) => sessions.open({ merchant: actingFor(merchant) });

interface Sent {
  url: string;
  session: string;
  contentType: string;
  payload: string | Buffer;
}

const post = ({ url, session, contentType, payload }: Sent) =>
  api.app.inject({
    method: 'POST',
    url,
    remoteAddress: anyAddress(),
    headers: {
      host: 'localhost:3000',
      cookie: `tributary_session_3000=${session}`,
      'sec-fetch-site': 'same-origin',
      'content-type': contentType,
    },
    payload,
  });

const makeRun = async () => {
  const run = await makeManualRun(api, 2);
  await run.act('process');
  const session = sessionOf(run);
  const url = `/console/pay/runs/${run.runId}`;
  const fields = hiddenFields((await pages.get(url, { session })).html);
  /** As a browser sends a form with a file. */
  const upload = async (bytes: Uint8Array, more: Record<string, string> = {}) => {
    const form = new FormData();
    for (const [name, value] of Object.entries({ ...fields, sentForm: 'results', pasted: '', ...more })) form.append(name, value);
    form.append('csv', new Blob([new Uint8Array(bytes)], { type: 'text/csv' }), 'results.csv');
    const request = new Response(form);
    const contentType = request.headers.get('content-type') ?? '';
    return post({ url, session, contentType, payload: Buffer.from(await request.arrayBuffer()) });
  };
  return { ...run, session, url, fields, upload };
};

test('BR9: a results file is uploaded as a spreadsheet saved it, and what was refused has its line', async () => {
  const { key, payoutIds, upload, statuses } = await makeRun();
  const [first = '', second] = payoutIds;
  const csv = `Zahlungen;;\r\npayoutId;Result;bankReference\r\n${first};bezahlt;M\u00FCller 4711\r\n${second};;\r\n`;
  const { statusCode, body } = await upload(Buffer.from(csv, 'latin1'));
  expect(statusCode).toBe(200);
  expect(body).toContain('1 updated, 0 already up to date, 1 refused');
  expect(body).toMatch(/<th[^>]*>4<\/th>.*The line has no result: write paid, failed, or returned/s);
  expect(await statuses()).toEqual(['completed', 'processing']);
  expect((await api.call('GET', `/payouts/${first}`, { key })).data.bankReference).toBe('M\u00FCller 4711');
});

test('without a file and pasted rows, and with a file without results, the form says what is missing', async () => {
  const { upload, statuses, payoutIds } = await makeRun();
  const nothing = await upload(new Uint8Array());
  expect([nothing.statusCode, nothing.body]).toEqual([422, expect.stringContaining('Results file must not be empty')]);
  const wrong = await upload(Buffer.from(`payoutId,note\n${payoutIds[0]},paid\n`), {});
  expect([wrong.statusCode, wrong.body]).toEqual([422, expect.stringContaining('must have a header with result')]);
  expect(await statuses()).toEqual(['processing', 'processing']);
});

test('rows copied from a spreadsheet are pasted', async () => {
  const { url, session, payoutIds, statuses } = await makeRun();
  const { idempotencyKey = '' } = hiddenFields((await pages.get(url, { session })).html);
  const pasted = `\tpayoutId\tResult\t\r\n\t${payoutIds[0]}\tfailed\t\r\n\t${payoutIds[1]}\tpaid\t\r\n`;
  const { html } = await pages.post(url, { sentForm: 'results', idempotencyKey, pasted }, { session });
  expect(html).toContain('2 updated');
  expect(await statuses()).toEqual(['failed', 'completed']);
});

const partOf = (name: string, value: string) => `--x\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;

test('NS2: the parts of a form are counted before it is read', async () => {
  const { url, session, payoutIds, statuses } = await makeRun();
  const csv = `payoutId,result\n${payoutIds[0]},paid\n`;
  const formOf = (parts: number) =>
    `${partOf('sentForm', 'results')}${partOf('pasted', csv)}${partOf('a', '').repeat(parts - 2)}--x--\r\n`;
  const send = (contentType: string, payload: string) => post({ url, session, contentType, payload });
  for (const [contentType, payload] of [
    ['multipart/form-data; boundary=x', formOf(51)],
    ['multipart/form-data; boundary=x', formOf(10_000)],
    ['multipart/form-data; boundary="x"', formOf(51)],
    ['multipart/form-data; charset=utf-8; boundary=x', formOf(3)],
    ['multipart/form-data; boundary=y; boundary=x', formOf(51)],
    ['multipart/form-data; boundary=', formOf(3)],
    ['application/x-www-form-urlencoded', `sentForm=results&pasted=${encodeURIComponent(csv)}${'&a='.repeat(2_000)}`],
    ['application/x-www-form-urlencoded', `${'&'.repeat(200_000)}`],
  ] as const)
    expect([contentType, payload.length, (await send(contentType, payload)).statusCode]).toEqual([
      contentType,
      payload.length,
      400,
    ]);
  expect(await statuses()).toEqual(['processing', 'processing']);
  expect((await send('multipart/form-data; boundary=x', formOf(50))).body).toContain('1 updated');
  expect(await statuses()).toEqual(['completed', 'processing']);
});

test('NS2: what is chosen is counted before anything is done with it', async () => {
  const of = await makePayees(api, [{ amount: 40_000 }, { amount: 20_000 }]);
  const session = sessionOf(of);
  const run = await draftRun(api, of);
  const url = `/console/pay/runs/${run.runId}`;
  const ids = of.payees.map(({ affiliateId }) => affiliateId);
  const takeOut = (affiliateIds: string[]) => pages.post(url, { sentForm: 'takeOut', affiliateIds }, { session });
  const refused = await takeOut(Array.from({ length: 101 }, (_, n) => ids[n % 2] ?? ''));
  expect([refused.status, refused.html]).toEqual([422, expect.stringContaining('Affiliates can have at most 100 at a time')]);
  expect((await run.read()).items).toBe(2);
  expect((await takeOut(ids)).status).toBe(303);
  expect((await run.read()).items).toBe(0);
  const byHand = { sentForm: 'record', done: 'process', payoutIds: Array.from({ length: 401 }, () => ids[0] ?? '') };
  const record = await pages.post('/console/pay/by-hand', byHand, { session });
  expect([record.status, record.html]).toEqual([422, expect.stringContaining('Payouts can have at most 100 at a time')]);
});
