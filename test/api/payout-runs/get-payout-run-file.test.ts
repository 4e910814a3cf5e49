import { useTestApi } from '../../support/api.ts';
import { makeKey, makeMerchant } from '../../support/factories.ts';
import { untilSomebodyWaits } from '../../support/lock-waits.ts';
import { transactionAs } from '../../support/payout-runs.ts';
import { rowsOf } from '../../support/rail-payouts.ts';
import { makeManualRun } from './by-hand.ts';

const api = useTestApi();

test('the file holds what is processing, with recipients in clear and no formula, and each reading is on the timelines', async () => {
  const { act, file, payoutIds, timeline } = await makeManualRun(api);
  expect((await file()).data).toEqual({ files: [], omitted: [] });
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
  await file('wise');
  expect((await timeline(payoutIds[0] ?? '')).filter((type) => type === 'exported')).toHaveLength(2);
  const paypal = await file('paypal');
  expect(paypal.data).toEqual({ files: [], omitted: expect.arrayContaining(payoutIds) });
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
  expect((await file()).data.files[0].payouts).toBe(1);
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
