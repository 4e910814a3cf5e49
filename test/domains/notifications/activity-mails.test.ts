import {
  closeActivityPeriod,
  findActivityPeriod,
  writeActivityMails,
  writeWeeklyDigests,
} from '../../../src/domains/notifications/index.ts';
import { execute, sql } from '../../../src/platform/database/sql.ts';
import { useOwnApi } from '../../support/api.ts';
import { makeMerchant, makePayable, sendSale } from '../../support/factories.ts';
import { makeManualPayout } from '../../support/payouts.ts';
import { mailsAbout, testContext } from './support.ts';

const api = useOwnApi();
const HOUR_MS = 3_600_000;

const contextAt = (at: Date) => ({ ...testContext(api.runtime), clock: { now: () => at } });
/** The hour around now. */
const period = () => ({
  from: new Date(Date.now() - HOUR_MS).toISOString(),
  to: new Date(Date.now() + HOUR_MS).toISOString(),
});

const writeAll = async (of = period()): Promise<void> => {
  let after: string | null = null;
  do after = (await writeActivityMails(testContext(api.runtime), { period: of, after, limit: 3 })).after;
  while (after !== null);
};

it('one mail tells a merchant what happened, however much it was; the same period is written once', async () => {
  const { merchantId, program, code, act } = await makeManualPayout(api);
  for (let n = 0; n < 5; n++) await sendSale(api, program, { referralCode: code });
  await act('process');
  await act('complete');
  const quiet = await makeMerchant(api.runtime);
  const of = period();
  await writeAll(of);
  await writeAll(of);
  const [mail, ...more] = await mailsAbout(api.runtime, merchantId);
  expect(more).toEqual([]);
  expect(mail).toMatchObject({ kind: 'merchant_activity', to: expect.stringMatching(/^m-/), waiting: true });
  for (const fact of [
    '["New affiliates","1"]',
    '["Sales through affiliates","6 (600.00 USD)"]',
    '["Payouts completed","1 (20.00 USD)"]',
  ]) {
    expect(mail?.text).toContain(fact);
  }
  expect(await mailsAbout(api.runtime, quiet.merchantId)).toEqual([]);
});

it('preferences are honoured: what is switched off is left out, and without anything there is no mail', async () => {
  const some = await makePayable(api);
  const none = await makePayable(api);
  await api.call('PUT', '/merchant/notifications', { key: some.key, body: { newConversion: false, commissionApproved: false } });
  const off = { newAffiliate: false, newConversion: false, commissionApproved: false, payoutProcessed: false };
  await api.call('PUT', '/merchant/notifications', { key: none.key, body: off });
  await writeAll();
  const [mail] = await mailsAbout(api.runtime, some.merchantId);
  expect(mail?.subject).toMatch(/: 1 new affiliate$/);
  expect(await mailsAbout(api.runtime, none.merchantId)).toEqual([]);
});

it('approved commissions are told when they are approved, not when the sale was', async () => {
  const { merchantId, key, conversionId } = await makePayable(api);
  await api.call('PUT', '/merchant/notifications', { key, body: { newAffiliate: false, newConversion: false } });
  const approve = sql`update conversion set status = 'approved', approved_at = now() - interval '3 days' where id = ${conversionId}::uuid`;
  await execute(testContext(api.runtime).em, approve);
  await writeAll();
  expect(await mailsAbout(api.runtime, merchantId)).toEqual([]);
  const from = new Date(Date.now() - 80 * HOUR_MS).toISOString();
  await writeAll({ from, to: new Date(Date.now() - 70 * HOUR_MS).toISOString() });
  expect((await mailsAbout(api.runtime, merchantId)).map(({ subject }) => subject)).toEqual([
    expect.stringMatching(/: 1 commission approved$/),
  ]);
});

it('the hours that are covered follow each other without a gap, also after a pause', async () => {
  const at = (time: string) => contextAt(new Date(`2031-01-01T${time}Z`));
  await execute(testContext(api.runtime).em, sql`update mail_progress set done_until = '2031-01-01T09:00:00Z'`);
  const first = await findActivityPeriod(at('09:03:00'));
  expect(first).toBeNull();
  await execute(
    testContext(api.runtime).em,
    sql`insert into mail_progress values ('activity', '2031-01-01T09:00:00Z') on conflict (name) do update set done_until = excluded.done_until`,
  );
  expect(await findActivityPeriod(at('10:04:59'))).toBeNull();
  const hour = { from: '2031-01-01T09:00:00.000Z', to: '2031-01-01T10:00:00.000Z' };
  expect(await findActivityPeriod(at('10:05:00'))).toEqual(hour);
  // Not closed: a run that crashed is made up for.
  expect(await findActivityPeriod(at('13:30:00'))).toEqual({ from: hour.from, to: '2031-01-01T13:00:00.000Z' });
  await closeActivityPeriod(at('13:30:00'), { to: '2031-01-01T13:00:00.000Z' });
  await closeActivityPeriod(at('13:30:00'), { to: hour.to });
  expect(await findActivityPeriod(at('13:59:00'))).toBeNull();
  expect(await findActivityPeriod(at('14:06:00'))).toMatchObject({ from: '2031-01-01T13:00:00.000Z' });
});

it('a period that has mails keeps its end until it is closed: a lost run leaves nothing out', async () => {
  const { em } = testContext(api.runtime);
  const { merchantId } = await makePayable(api);
  const of = period();
  await execute(em, sql`update mail_progress set done_until = ${of.from}::timestamptz, period_end = null`);
  await writeAll(of);
  expect(await mailsAbout(api.runtime, merchantId)).toHaveLength(1);
  const later = contextAt(new Date(Date.parse(of.to) + 5 * HOUR_MS));
  expect(await findActivityPeriod(later)).toEqual(of);
  await closeActivityPeriod(later, of);
  await writeAll(of);
  expect(await findActivityPeriod(later)).toEqual({ from: of.to, to: expect.not.stringMatching(of.to) });
});

it('a merchant whose time zone this program does not know holds up nobody: the times are in UTC', async () => {
  const [unknown, other] = [await makePayable(api), await makePayable(api)];
  await execute(
    testContext(api.runtime).em,
    sql`update merchant set timezone = 'Mars/Base' where id = ${unknown.merchantId}::uuid`,
  );
  await writeAll();
  const found = await Promise.all([unknown, other].map(({ merchantId }) => mailsAbout(api.runtime, merchantId)));
  expect(found.map((mails) => mails.length)).toEqual([1, 1]);
});

const digestsAt = async (time: string): Promise<void> => {
  let after: string | null = null;
  do after = (await writeWeeklyDigests(contextAt(new Date(time)), { after, limit: 2 })).after;
  while (after !== null);
};

it('the weekly digest comes once, on Monday at 08:00 of local time, to those who want it', async () => {
  const wanting = async (timezone: string) => {
    const merchant = await makePayable(api);
    await api.call('PATCH', '/merchant', { key: merchant.key, body: { timezone } });
    await api.call('PUT', '/merchant/notifications', { key: merchant.key, body: { weeklyDigest: true } });
    return merchant.merchantId;
  };
  const berlin = await wanting('Europe/Berlin');
  const auckland = await wanting('Pacific/Auckland');
  const { merchantId: other } = await makePayable(api);
  const sent = async () => [
    (await mailsAbout(api.runtime, berlin)).map(({ period }) => period),
    (await mailsAbout(api.runtime, auckland)).map(({ period }) => period),
  ];
  // A Monday after the clocks of Berlin went forward.
  await digestsAt('2031-03-30T19:59:00Z');
  expect(await sent()).toEqual([[], ['2031-03-31']]);
  await digestsAt('2031-03-31T05:59:00Z');
  expect(await sent()).toEqual([[], ['2031-03-31']]);
  await digestsAt('2031-03-31T06:00:00Z');
  await digestsAt('2031-03-31T06:15:00Z');
  expect(await sent()).toEqual([['2031-03-31'], ['2031-03-31']]);
  // Too late for that week.
  await digestsAt('2031-04-09T06:15:00Z');
  expect(await sent()).toEqual([['2031-03-31'], ['2031-03-31']]);
  expect(await mailsAbout(api.runtime, other)).toEqual([]);
  expect((await mailsAbout(api.runtime, berlin))[0]?.text).toContain('There were no new affiliates');
});
