import { finishMailTry, liftMailSuppression, startMailTry } from '../../../src/domains/notifications/index.ts';
import { plain } from '../../../src/domains/notifications/mail-content.rules.ts';
import { toMessage } from '../../../src/platform/mail/message.ts';
import { claim, makeInviter, makePerson } from '../../api/invites/support.ts';
import { act, makeOwner, makeResource, type Owner } from '../../api/resources/support.ts';
import { anyAddress, useOwnApi } from '../../support/api.ts';
import { unique } from '../../support/factories.ts';
import { rowsOf } from '../../support/rail-payouts.ts';
import { mailsAbout, testContext } from './support.ts';

const api = useOwnApi({ MAIL_PER_DAY: '100000', MAIL_PER_DAY_PER_MERCHANT: '5' });
const writeMails = () => api.runtime.writeResourceMails(testContext(api.runtime));

const add = (owner: Owner, email = `a-${unique()}@example.com`) =>
  api.call('POST', '/affiliates', { key: owner.key, body: { programId: owner.programId, email } });
const makeJoined = async (tier = 'pro') => {
  const owner = await makeOwner(api, tier);
  await rowsOf(api, 'update affiliate set joined_at = now() where program_id = ? returning id', [owner.programId]);
  return owner;
};
/** Publishes something about which the affiliates of the program are written to; returns its id. */
const announce = async (owner: Owner): Promise<string> => {
  const id = await makeResource(api, owner, 'social_post', { status: 'published' });
  expect((await act(api, owner, id, 'notify')).status).toBe(200);
  return id;
};
const announced = async (owner: Owner) => {
  const id = await announce(owner);
  await writeMails();
  return mailsAbout(api.runtime, id);
};
/** The mail as it would be sent. */
const messageOf = async (mailId: string) => {
  const step = await startMailTry(testContext(api.runtime), { mailId });
  if (step.kind !== 'send') throw new Error(`not sent: ${step.kind}`);
  return { ...step.mail, ...toMessage(step.mail, { name: 'Tributary', address: 'mail@example.com' }) };
};
const open = (method: 'GET' | 'POST', path: string, form?: { type: string; body: string }) =>
  api.app.inject({
    method,
    url: path,
    remoteAddress: anyAddress(),
    ...(form ? { headers: { 'content-type': form.type }, payload: form.body } : {}),
  });
const FORM = 'application/x-www-form-urlencoded';

test('SE1: strangers whom a merchant added get no mails about resources, who claimed an invite does', async () => {
  const { key, programId, merchantId, invite } = await makeInviter(api);
  await rowsOf(api, `update merchant set billing_tier = 'pro' where id = ? returning id`, [merchantId]);
  const owner = { key, programId, merchantId } as Owner;
  for (let n = 0; n < 3; n++) expect((await add(owner)).status).toBe(201);
  expect(await announced(owner)).toEqual([]);
  const person = await makePerson(api);
  expect((await claim(api, person, await invite({ skipOnboarding: true }))).status).toBeLessThan(300);
  expect(await announced(owner)).toHaveLength(1);
});

test('SE1: a mail about resources has a link and a header to unsubscribe, mails about payouts have none', async () => {
  const owner = await makeJoined();
  const [mail] = await announced(owner);
  const { headers, text, html, unsubscribeUrl } = await messageOf(mail?.id ?? '');
  expect(headers).toMatchObject({
    'List-Unsubscribe': `<${unsubscribeUrl}>`,
    'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
  });
  expect(text).toContain(`Unsubscribe: ${unsubscribeUrl}`);
  expect(html).toContain(`<a href="${unsubscribeUrl}"`);
  const plainMail = { id: '1', messageId: '<1@x>', to: 'a@example.com', createdAt: new Date(0), subject: '', text: '', html: '' };
  const other = toMessage({ ...plainMail, unsubscribeUrl: null }, { name: '', address: 'mail@example.com' });
  expect(other.headers).toEqual({ 'Auto-Submitted': 'auto-generated' });
});

test('SE1: one click of a mail program unsubscribes from the program, and removes what waits; opening the page does not', async () => {
  const owner = await makeJoined();
  const [mail] = await announced(owner);
  const { unsubscribeUrl } = await messageOf(mail?.id ?? '');
  const path = new URL(unsubscribeUrl ?? '').pathname;
  const page = await open('GET', path);
  expect([page.statusCode, page.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
  expect(page.body).toContain('Unsubscribe from <bdi>Program');
  expect(await announced(owner)).toHaveLength(1);
  for (let time = 0; time < 2; time++)
    expect((await open('POST', path, { type: FORM, body: 'List-Unsubscribe=One-Click' })).statusCode).toBe(200);
  expect(await announced(owner)).toEqual([]);
  const left = await rowsOf(
    api,
    `select status, recipient, payload from mail where kind = 'resource_announced' and merchant_id = ?`,
    [owner.merchantId],
  );
  expect(new Set(left.map((row) => JSON.stringify(row)))).toEqual(
    new Set([JSON.stringify({ status: 'given_up', recipient: null, payload: null })]),
  );
});

test.each([
  [
    'of the mail program, as multipart',
    'multipart/form-data; boundary=x',
    '--x\r\nContent-Disposition: form-data; name="List-Unsubscribe"\r\n\r\nOne-Click\r\n--x--',
    1,
  ],
  ['for this program', FORM, 'list=program', 1],
  ['for all programs', FORM, 'list=all', 0],
])('SE1: a request %s concerns other programs only if it says so', async (_what, type, body, others) => {
  const [owner, other] = [await makeJoined(), await makeJoined()];
  await rowsOf(
    api,
    `update affiliate a set profile_id = (select b.profile_id from affiliate b where b.id = ?) where a.id = ? returning id`,
    [owner.affiliateId, other.affiliateId],
  );
  const [mail] = await announced(owner);
  const { unsubscribeUrl } = await messageOf(mail?.id ?? '');
  expect((await open('POST', new URL(unsubscribeUrl ?? '').pathname, { type, body })).statusCode).toBe(200);
  expect(await announced(owner)).toEqual([]);
  expect(await announced(other)).toHaveLength(others);
});

test.each(['x', 'x.y', `${Buffer.from('["a","b"]').toString('base64url')}.${'0'.repeat(32)}`])(
  'SE1: the token %s, which was not issued, is 404 and changes nothing',
  async (token) => {
    for (const method of ['GET', 'POST'] as const) expect((await open(method, `/unsubscribe/${token}`)).statusCode).toBe(404);
    expect(await rowsOf(api, 'select 1 from mail_opt_out where recipient_digest = ?', ['a'])).toEqual([]);
  },
);

test('SE1: nothing is written to an address that its mail server called unknown, until the operator allows it', async () => {
  const owner = await makeJoined();
  const [mail] = await announced(owner);
  const ctx = () => testContext(api.runtime);
  const refused = { mailId: mail?.id ?? '', last: false, failure: { error: 'address_refused', smtpCode: 550 } } as const;
  expect(await finishMailTry(ctx(), refused)).toMatchObject({ status: 'given_up' });
  expect(await announced(owner)).toEqual([]);
  expect(await liftMailSuppression(ctx(), { address: mail?.to.toUpperCase() ?? '' })).toBe(true);
  expect(await liftMailSuppression(ctx(), { address: mail?.to ?? '' })).toBe(false);
  const [again] = await announced(owner);
  expect(again?.to).toBe(mail?.to);
  await finishMailTry(ctx(), { mailId: again?.id ?? '', last: false, failure: { error: 'address_refused', smtpCode: 552 } });
  expect(await announced(owner)).toHaveLength(1);
});

test('SE1: a merchant causes so many mails a day, and the rest is sent the next day', async () => {
  const owner = await makeJoined();
  for (let n = 0; n < 7; n++) await add(owner);
  await rowsOf(api, 'update affiliate set joined_at = now() where program_id = ? returning id', [owner.programId]);
  const id = await announce(owner);
  await Promise.all([writeMails(), writeMails()]);
  expect(await mailsAbout(api.runtime, id)).toHaveLength(5);
  const other = await makeJoined();
  expect(await announced(other)).toHaveLength(1);
  await rowsOf(api, `update mail set created_at = created_at - interval '1 day' where merchant_id = ? returning id`, [
    owner.merchantId,
  ]);
  await rowsOf(api, `update resource_notification set next_at = now() - interval '1 second' where merchant_id = ? returning id`, [
    owner.merchantId,
  ]);
  await writeMails();
  expect(await mailsAbout(api.runtime, id)).toHaveLength(8);
});

test('SE1: an installation sends so many mails a day, and what waits for a week is dropped', async () => {
  const owner = await makeJoined();
  const id = await announce(owner);
  const ctx = testContext(api.runtime);
  const full = { ...ctx, settings: { ...ctx.settings, mailsPerDay: { ofInstallation: 1, ofMerchant: 5 } } };
  await rowsOf(api, 'update mail set created_at = now() where program_id is not null returning id', []);
  expect(await api.runtime.writeResourceMails(full)).toBe(0);
  expect(await mailsAbout(api.runtime, id)).toEqual([]);
  await rowsOf(
    api,
    `update resource_notification set next_at = now() - interval '1 second', created_at = now() - interval '8 days' where merchant_id = ? returning id`,
    [owner.merchantId],
  );
  expect(await writeMails()).toBe(0);
  expect(
    await rowsOf(api, 'select id from resource_notification where merchant_id = ? and finished_at is null', [owner.merchantId]),
  ).toEqual([]);
});

test.each([
  ['Win at https://evil.example/x', 'Win at https[:]//evil[.]example/x'],
  ['www.evil.com', 'www[.]evil[.]com'],
  ['Ask boss@evil.com now', 'Ask boss[at]evil[.]com now'],
  ['Acme Inc. and Dr. No, v2.0', 'Acme Inc. and Dr. No, v2.0'],
  ['@acme on 3.5 stages', '@acme on 3.5 stages'],
  ['evil\u3002com', 'evil[.]com'],
])('SE1: the text %j becomes no link', (text, written) => {
  expect(plain(text)).toBe(written);
});

test('SE1: who unsubscribed gets no mails to other spellings of the address, and one that bounced stops only itself', async () => {
  const owner = await makeJoined();
  const name = `reader-${unique()}`;
  const setEmail = (email: string) =>
    rowsOf(
      api,
      `update affiliate_profile f set email = ? from affiliate a where a.id = ? and f.id = a.profile_id returning f.id`,
      [email, owner.affiliateId],
    );
  await setEmail(`${name}+a@example.com`);
  const [mail] = await announced(owner);
  const refused = { mailId: mail?.id ?? '', last: false, failure: { error: 'address_refused', smtpCode: 550 } } as const;
  await finishMailTry(testContext(api.runtime), refused);
  expect(await announced(owner)).toEqual([]);
  await setEmail(`${name}+b@example.com`);
  const [second] = await announced(owner);
  expect(second?.to).toBe(`${name}+b@example.com`);
  const { unsubscribeUrl } = await messageOf(second?.id ?? '');
  const answer = await open('POST', new URL(unsubscribeUrl ?? '').pathname, { type: FORM, body: 'list=program' });
  expect(answer.statusCode).toBe(200);
  for (const email of [`${name}+c@example.com`, `${name}@example.com`]) {
    await setEmail(email);
    expect(await announced(owner)).toEqual([]);
  }
});
