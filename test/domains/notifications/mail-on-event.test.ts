import { randomUUID } from 'node:crypto';
import { eraseProfile } from '../../../src/domains/affiliates/index.ts';
import { raiseFlag } from '../../../src/domains/flags/index.ts';
import { eraseMails, mailOnEvent, retryMails } from '../../../src/domains/notifications/index.ts';
import { emitInternal, inTransaction } from '../../../src/platform/context.ts';
import { rows, sql } from '../../../src/platform/database/sql.ts';
import { makePerson } from '../../api/invites/support.ts';
import { useOwnApi } from '../../support/api.ts';
import { makeApplication } from '../../support/applications.ts';
import { makeMerchant, makePayable, makeProgram, unique } from '../../support/factories.ts';
import { raise } from '../../support/flags.ts';
import { addCommissions } from '../../support/many-commissions.ts';
import { makeManualPayout } from '../../support/payouts.ts';
import { rowsOf } from '../../support/rail-payouts.ts';
import { emailOf, mailsAbout, testContext } from './support.ts';

const api = useOwnApi();

it('an affiliate is told of a completed payout: the mail and its start are committed with it', async () => {
  const { payoutId, profileId, act } = await makeManualPayout(api);
  await act('process');
  expect(await mailsAbout(api.runtime, payoutId)).toEqual([]);
  expect((await act('complete')).status).toBe(200);
  const [mail, ...more] = await mailsAbout(api.runtime, payoutId);
  expect(more).toEqual([]);
  expect(mail).toMatchObject({ kind: 'payout_completed', to: await emailOf(api.runtime, profileId), waiting: true });
  expect(mail?.subject).toMatch(/^You were paid 20\.00 USD by Company /);
  expect((await act('complete')).status).toBe(409);
  expect(await mailsAbout(api.runtime, payoutId)).toHaveLength(1);
});

it('an affiliate is told of a failed payout and what to do, and of no payout that was cancelled', async () => {
  const failed = await makeManualPayout(api);
  await failed.act('process');
  expect((await failed.act('fail', { note: 'wrong account' })).status).toBe(200);
  const [mail] = await mailsAbout(api.runtime, failed.payoutId);
  expect(mail).toMatchObject({ kind: 'payout_failed', subject: 'Your payout of 20.00 USD failed' });
  expect(mail?.text).toContain('Check your payout details');
  expect(mail?.text).not.toContain('wrong account');
  const cancelled = await makeManualPayout(api);
  expect((await cancelled.act('cancel')).status).toBe(200);
  expect(await mailsAbout(api.runtime, cancelled.payoutId)).toEqual([]);
});

it('neither address nor text is readable in the database, and no mail is left of a change that was rolled back', async () => {
  const { payoutId, profileId, merchantId, act } = await makeManualPayout(api);
  await act('process');
  await act('complete');
  const email = await emailOf(api.runtime, profileId);
  const [row] = await testContext(api.runtime).em.execute(
    `select row_to_json(m)::text || coalesce((select string_agg(row_to_json(o)::text, '') from outbox o where o.subject_id = m.id), '') as text
     from mail m where subject_id = ?`,
    [payoutId],
  );
  for (const secret of [email, email.split('@')[0], 'You were paid', '20.00']) expect(row?.text).not.toContain(secret);
  const rolledBack = inTransaction(testContext(api.runtime), async (ctx) => {
    const changeId = randomUUID();
    await emitInternal(ctx, {
      type: 'payout.approval_threshold_changed',
      merchantId,
      changeId,
      oldThreshold: null,
      newThreshold: { usd: 1 },
    });
    throw new Error('rolled back');
  });
  await expect(rolledBack).rejects.toThrow('rolled back');
  expect(await mailsAbout(api.runtime, merchantId)).toEqual([]);
});

it('changed payout details are told to the person and to the PayPal address before, once per change', async () => {
  const { profileId } = await makePayable(api);
  const email = await emailOf(api.runtime, profileId);
  const oldAddress = `Old-${unique()}@example.com`;
  const change = (changeId: string) =>
    inTransaction(testContext(api.runtime), (ctx) =>
      emitInternal(ctx, {
        type: 'payout.details_changed',
        profileId,
        affiliateId: null,
        changeId,
        oldAddress,
        newAddress: 'new@example.com',
        undo: null,
      }),
    );
  const changeId = randomUUID();
  await change(changeId);
  await change(changeId);
  const mails = await mailsAbout(api.runtime, profileId);
  expect(mails.map(({ to }) => to).sort()).toEqual([email, oldAddress.toLowerCase()].sort());
  expect(mails.map(({ text }) => text).join()).not.toMatch(/new@example\.com|Old-/i);
});

describe('SE1: mails about changed payout details', () => {
  /** Somebody whom a merchant added with a PayPal address. */
  const makeEntered = async (email: string) => {
    const { key, merchantId } = await makeMerchant(api.runtime);
    const { programId } = await makeProgram(api, key);
    const add = await api.call('POST', '/affiliates', {
      key,
      body: { programId, email, paypalEmail: `p-${unique()}@example.com` },
    });
    const enter = (paypalEmail = `p-${unique()}@example.com`) =>
      api.call('PATCH', `/affiliates/${add.data.id}`, { key, body: { paypalEmail } });
    return { key, merchantId, enter };
  };
  const subjectsTo = async (profileId: string, address: string) =>
    (await mailsAbout(api.runtime, profileId)).filter(({ to }) => to === address).map(({ subject }) => subject);
  const [ONE, MANY] = ['Your payout details were changed', 'Your payout details were changed many times'];

  it('mails by one merchant, as many as they are, use up neither those of the person nor those of another merchant', async () => {
    const { profileId, key } = await makePerson(api);
    const email = await emailOf(api.runtime, profileId);
    const [first, second] = [await makeEntered(email), await makeEntered(email)];
    for (let n = 0; n < 13; n++) expect((await first.enter()).status).toBe(200);
    expect(await subjectsTo(profileId, email)).toEqual([...Array(10).fill(ONE), MANY]);
    await second.enter();
    expect((await subjectsTo(profileId, email)).at(-1)).toBe(ONE);
    for (let n = 0; n < 12; n++)
      await api.call('PATCH', '/me/payout-info', { key, body: { paypalEmail: `own-${n}@example.com` } });
    expect(await subjectsTo(profileId, email)).toEqual([...Array(10).fill(ONE), MANY, ONE, ...Array(10).fill(ONE), MANY]);
  });

  it('mails to addresses that a merchant entered count as its daily mails, and can be unsubscribed from', async () => {
    const { profileId } = await makePerson(api);
    const email = await emailOf(api.runtime, profileId);
    const { merchantId, enter } = await makeEntered(email);
    const victim = `victim-${unique()}@example.com`;
    await rowsOf(
      api,
      `insert into mail (id, kind, subject_id, merchant_id, program_id, recipient_digest, period, message_id, status, created_at, queued_at, sent_at, updated_at)
       select uuidv7(), 'resource_announced', uuidv7(), ?, uuidv7(), 'x', '', uuidv7()::text, 'sent', now(), now(), now(), now()
       from generate_series(1, ?) returning id`,
      [merchantId, api.runtime.config.MAIL_PER_DAY_PER_MERCHANT - 1],
    );
    await enter(victim);
    await enter();
    await enter(`${victim}.example`);
    await enter();
    const mails = await mailsAbout(api.runtime, profileId);
    expect(mails.filter(({ to }) => to.startsWith('victim-')).map(({ to }) => to)).toEqual([]);
    expect(mails.filter(({ to }) => to === email)).toHaveLength(4);
    const counted = await rowsOf(api, 'select program_id from mail where subject_id = ? and program_id is not null', [profileId]);
    expect(counted).toHaveLength(1);
    expect(mails.find(({ to }) => to !== email)?.text).not.toContain("can't be turned off");
  });
});

it('a change of the approval threshold is told to the merchant each time', async () => {
  const { merchantId } = await makePayable(api);
  const change = (changeId: string) =>
    inTransaction(testContext(api.runtime), (ctx) =>
      emitInternal(ctx, {
        type: 'payout.approval_threshold_changed',
        merchantId,
        changeId,
        oldThreshold: { usd: 50_000, jpy: 900 },
        newThreshold: null,
      }),
    );
  await change('1');
  await change('1');
  await change('2');
  const mails = await mailsAbout(api.runtime, merchantId);
  expect(mails.map(({ kind, period }) => [kind, period])).toEqual([
    ['approval_threshold_changed', '1'],
    ['approval_threshold_changed', '2'],
  ]);
  expect(mails[0]?.text).toContain('["Before","500.00 USD, 900 JPY"],["Now","Off"]');
});

const flagFor = async (merchant: { merchantId: string; programId: string; affiliateId: string; conversionId: string }) =>
  inTransaction(testContext(api.runtime), (ctx) =>
    raiseFlag(ctx, {
      affiliateId: merchant.affiliateId,
      programId: merchant.programId,
      merchantId: merchant.merchantId,
      type: 'self_referral',
      details: {},
      conversionIds: [merchant.conversionId],
    }),
  );

it('a mail about a flag counts what it holds: a payout without an attempt, and none that is being paid or was paid', async () => {
  const heldOf = async ({ merchantId, programId, affiliateId, conversionId }: Awaited<ReturnType<typeof makeManualPayout>>) => {
    const { flagId } = await flagFor({ merchantId, programId, affiliateId, conversionId });
    return (await mailsAbout(api.runtime, flagId))[0]?.text;
  };
  expect(await heldOf(await makeManualPayout(api))).toContain('["Commissions on hold","1 (20.00 USD)"]');
  const processing = await makeManualPayout(api);
  await processing.act('process');
  expect(await heldOf(processing)).toContain('["Commissions on hold","0 (0.00 USD)"]');
  const completed = await makeManualPayout(api);
  await completed.act('process');
  await completed.act('complete');
  expect(await heldOf(completed)).toContain('["Commissions on hold","0 (0.00 USD)"]');
});

it('of a flag that holds more than 10,000 commissions, the mail says only that', async () => {
  const payable = await makePayable(api);
  await addCommissions(api, payable, 10_000);
  const all = await rows(
    testContext(api.runtime).em,
    sql<{ id: string }>`select id from conversion where affiliate_id = ${payable.affiliateId}::uuid`,
  );
  const { flagId } = await raise(api, payable, { conversionIds: all.map(({ id }) => id) });
  expect((await mailsAbout(api.runtime, flagId))[0]?.text).toContain('["Commissions on hold","more than 10,000"]');
});

it('a merchant is told of an opened flag with what it holds, of each reminder and of its deadline', async () => {
  const payable = await makePayable(api);
  const { flagId } = await flagFor(payable);
  const { merchantId, programId } = payable;
  const event = { flagId, merchantId, programId };
  await inTransaction(testContext(api.runtime), async (ctx) => {
    // The second of each changes nothing.
    for (let time = 0; time < 2; time++) {
      await emitInternal(ctx, { type: 'flag.opened', ...event });
      await emitInternal(ctx, { type: 'flag.reminder', ...event, n: 1 });
      await emitInternal(ctx, { type: 'flag.reminder', ...event, n: 2 });
      await emitInternal(ctx, { type: 'flag.deadline', ...event, n: 1 });
    }
  });
  const mails = await mailsAbout(api.runtime, flagId);
  expect(mails.map(({ kind, period }) => `${kind} ${period}`.trim())).toEqual([
    'flag_opened',
    'flag_reminder 1',
    'flag_reminder 2',
    'flag_deadline 1',
  ]);
  expect(mails[0]).toMatchObject({ to: expect.stringMatching(/^m-/), waiting: true });
  expect(mails[0]?.text).toContain('["Commissions on hold","1 (20.00 USD)"]');
});

it.each([
  ['keep_open', 'We put the related commissions on hold until you decide'],
  ['confirm', 'If nobody decides by the deadline, they are rejected'],
  ['dismiss', 'If nobody decides by the deadline, the hold ends and they can be paid'],
])('with the deadline action %s, a mail about a flag says that commissions %s', async (flagDeadlineAction, text) => {
  const payable = await makePayable(api);
  await api.call('PATCH', '/merchant', { key: payable.key, body: { flagDeadlineAction } });
  const { flagId } = await flagFor(payable);
  const [mail] = await mailsAbout(api.runtime, flagId);
  expect(mail?.subject).toMatch(/^Commissions of /);
  expect(mail?.text).toContain(text);
  expect(mail?.text).toContain('/docs/guides/flags.md');
});

it('a flag about commissions that are paid holds none, and its mail says so', async () => {
  const paid = await makeManualPayout(api);
  await paid.act('process');
  expect((await paid.act('complete')).status).toBe(200);
  const { flagId } = await flagFor(paid);
  const [mail] = await mailsAbout(api.runtime, flagId);
  expect(mail?.subject).toMatch(/^Fraud review of /);
  expect(mail?.text).toContain('No commissions are on hold because of it right now.');
  expect(mail?.text).toContain('["Commissions on hold","0 (0.00 USD)"]');
});

it('many flags within an hour are one mail each up to a bound, and then one for all others', async () => {
  const payable = await makePayable(api);
  const { flagId } = await flagFor(payable);
  const { merchantId, programId } = payable;
  await inTransaction(testContext(api.runtime), async (ctx) => {
    for (let n = 1; n <= 25; n++) await emitInternal(ctx, { type: 'flag.reminder', flagId, merchantId, programId, n });
  });
  const single = (await mailsAbout(api.runtime, flagId)).filter(({ kind }) => kind === 'flag_reminder');
  const together = await mailsAbout(api.runtime, merchantId);
  // The bound counts from each full hour, which may begin meanwhile.
  expect(single.length).toBeGreaterThanOrEqual(20);
  expect(single.length + together.length * 5).toBeGreaterThanOrEqual(25);
  expect(together.map(({ subject }) => subject)).toEqual(
    single.length === 25 ? [] : ['Many more fraud reviews need your decision'],
  );
});

it('of many payouts within an hour, an affiliate is told of each up to a bound, and then of all others together', async () => {
  const { payoutId, profileId, merchantId, programId, act, read } = await makeManualPayout(api);
  await act('process');
  await act('complete');
  const payout = await read();
  const ids = Array.from({ length: 24 }, () => randomUUID());
  await inTransaction(testContext(api.runtime), async (ctx) => {
    for (const id of ids) await mailOnEvent(ctx, [{ type: 'payout.completed', merchantId, programId, data: { ...payout, id } }]);
  });
  const single = (await Promise.all([payoutId, ...ids].map((id) => mailsAbout(api.runtime, id)))).flat();
  const together = await mailsAbout(api.runtime, profileId);
  // The bound counts from each full hour, which may begin meanwhile.
  expect(single.length).toBeGreaterThanOrEqual(20);
  expect(single.length + together.length * 5).toBeGreaterThanOrEqual(25);
  expect(together.map(({ subject }) => subject)).toEqual(single.length === 25 ? [] : ['More of your payouts were paid']);
});

it('the mails of an erased address are neither sent nor readable, and cannot be sent again', async () => {
  const { payoutId, profileId, act } = await makeManualPayout(api);
  await act('process');
  await act('complete');
  const address = await emailOf(api.runtime, profileId);
  expect(await eraseMails(testContext(api.runtime), { address: address.toUpperCase() })).toBe(1);
  expect(await eraseMails(testContext(api.runtime), { address })).toBe(0);
  const { em } = testContext(api.runtime);
  const [row] = await em.execute('select id, status, recipient, payload, recipient_digest from mail where subject_id = ?', [
    payoutId,
  ]);
  expect(row).toMatchObject({ status: 'given_up', recipient: null, payload: null, recipient_digest: `erased ${row?.id}` });
  expect(await retryMails(testContext(api.runtime), { id: row?.id })).toBe(0);
});

it('what waits for the PayPal addresses of an erased person, or tells merchants who applied, is removed with the address', async () => {
  const { applicationId, profileId, email } = await makeApplication(api);
  const other = await makePayable(api);
  const [before, theirs] = [`old-${unique()}@example.com`, `old-${unique()}@example.com`];
  const change = (of: string, oldAddress: string) =>
    inTransaction(testContext(api.runtime), (ctx) =>
      emitInternal(ctx, {
        type: 'payout.details_changed',
        profileId: of,
        affiliateId: null,
        changeId: randomUUID(),
        oldAddress,
        newAddress: null,
        undo: null,
      }),
    );
  await change(profileId, before);
  await change(other.profileId, theirs);
  expect((await mailsAbout(api.runtime, profileId)).map(({ to }) => to).sort()).toEqual([email, before].sort());
  const run = () => eraseMails(testContext(api.runtime), { address: email });
  await eraseProfile(testContext(api.runtime), email);
  expect([await run(), await run()]).toEqual([3, 0]);
  expect([await mailsAbout(api.runtime, profileId), await mailsAbout(api.runtime, applicationId)]).toEqual([[], []]);
  expect((await mailsAbout(api.runtime, other.profileId)).map(({ to }) => to)).toContain(theirs);
  const kept = await rows(
    testContext(api.runtime).em,
    sql`select id from mail where (subject_id in (${profileId}::uuid, ${applicationId}::uuid)) and num_nonnulls(recipient, payload) > 0`,
  );
  expect(kept).toEqual([]);
});
