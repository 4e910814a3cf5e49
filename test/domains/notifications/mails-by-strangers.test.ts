import type { MailByStranger } from '../../../src/contracts/mail.ts';
import { liftMailSuppression, startMailTry } from '../../../src/domains/notifications/index.ts';
import { createPersonInvite } from '../../../src/domains/people/index.ts';
import { execute, rows, sql } from '../../../src/platform/database/sql.ts';
import { toMessage } from '../../../src/platform/mail/message.ts';
import { makeInviter } from '../../api/invites/support.ts';
import { anyAddress, useOwnApi } from '../../support/api.ts';
import { makeMerchant, makeProgram, unique } from '../../support/factories.ts';
import { callAs, makeCompany } from '../../support/people.ts';
import { mailsAbout, testContext } from './support.ts';

// Strangers may cause eight of each ten mails.
const api = useOwnApi({ SIGNUP: 'open', JOIN_MAIL_PER_DAY: '1000', JOIN_MAIL_PER_DAY_PER_MERCHANT: '10' });
const anybody = { kind: 'anonymous' } as const;

const newAddress = (): string => `ada-${unique()}@blog.example`;

/** Each of the three ways in which somebody causes a mail by entering an address. */
const doorsOf = async () => {
  const { merchantId, owner, key } = await makeCompany(api);
  const portalSlug = `acme-${unique()}`;
  await makeProgram(api, key, { portalSlug });
  const join = (email: string, address?: string) =>
    callAs(api, anybody, 'startJoiningProgram', { params: { portalSlug }, body: { email, name: 'Ada' } }, address);
  const signUp = (email: string, address?: string) =>
    callAs(api, anybody, 'startSignUp', { body: { email, name: 'Ada', companyName: 'Acme' } }, address);
  const invite = (email: string) => callAs(api, owner.actor, 'invitePerson', { body: { email, role: 'viewer' } });
  return { merchantId, join, signUp, invite };
};

const kindsSentTo = async (subjectId: string): Promise<string[]> =>
  (await mailsAbout(api.runtime, subjectId)).map(({ kind }) => kind);

const ageMails = (): Promise<number> =>
  execute(testContext(api.runtime).em, sql`update mail set created_at = created_at - interval '2 days'`);

/** The mail as it is sent. */
const messageOf = async (subjectId: string) => {
  const [mail] = await mailsAbout(api.runtime, subjectId);
  const step = await startMailTry(testContext(api.runtime), { mailId: mail?.id ?? '' });
  if (step.kind !== 'send') throw new Error(`not sent: ${step.kind}`);
  return { ...step.mail, ...toMessage(step.mail, { name: 'Tributary', address: 'mail@example.com' }) };
};

const post = (path: string, list?: string) =>
  api.app.inject({
    method: 'POST',
    url: path,
    remoteAddress: anyAddress(),
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    payload: list === undefined ? 'List-Unsubscribe=One-Click' : `list=${list}`,
  });
const get = (path: string) => api.app.inject({ method: 'GET', url: path, remoteAddress: anyAddress() });

beforeEach(ageMails);

test('strangers use up the mails of one merchant for joining, and leave those of others, of invites of people, and of affiliates', async () => {
  const [one, other] = [await doorsOf(), await doorsOf()];
  await ageMails();
  const statuses: number[] = [];
  for (let n = 0; n < 9; n++) statuses.push((await one.join(newAddress())).status);
  expect(statuses).toEqual([...Array.from({ length: 8 }, () => 201), 429]);
  expect(await one.join(newAddress())).toMatchObject({ error: { code: 'RATE_LIMITED', details: { retryAfter: 3_600 } } });
  expect((await other.join(newAddress())).status).toBe(201);
  expect([(await one.invite(newAddress())).status, (await one.invite(newAddress())).status]).toEqual([201, 201]);
  expect(await one.invite(newAddress())).toMatchObject({ status: 409, error: { details: { reason: 'MAIL_LIMIT' } } });
  const inviter = await makeInviter(api);
  const added = await api.call('POST', '/affiliates', {
    key: inviter.key,
    body: { programId: inviter.programId, email: newAddress() },
  });
  expect((await api.call('POST', `/affiliates/${added.data.id}/invite`, { key: inviter.key })).status).toBeLessThan(300);
});

test('sign-ups count as one merchant: joining goes on when strangers have used them up', async () => {
  const { signUp, join } = await doorsOf();
  const statuses: number[] = [];
  for (let n = 0; n < 9; n++) statuses.push((await signUp(newAddress())).status);
  expect(statuses).toEqual([...Array.from({ length: 8 }, () => 201), 429]);
  expect((await join(newAddress())).status).toBe(201);
});

test('the mails of the whole installation are counted, too, and a day later there are new ones', async () => {
  const [one, other] = [await doorsOf(), await doorsOf()];
  await ageMails();
  const invite = ({ merchantId }: { merchantId: string }) =>
    createPersonInvite(withMails({ ofInstallation: 3, ofMerchant: 10 }), { merchantId, email: newAddress(), role: 'viewer' });
  for (const doors of [one, other, one]) await invite(doors);
  await expect(invite(other)).rejects.toMatchObject({ details: { reason: 'MAIL_LIMIT' } });
  await ageMails();
  await expect(invite(other)).resolves.toMatchObject({ invite: {} });
});

/** Acts as if the operator had set other numbers. */
const withMails = (joinMailsPerDay: { ofInstallation: number; ofMerchant: number }) => {
  const ctx = testContext(api.runtime);
  return { ...ctx, settings: { ...ctx.settings, joinMailsPerDay } };
};

describe('never write to me again', () => {
  type Door = 'join' | 'signUp' | 'invite';
  const KINDS: Record<Door, MailByStranger> = { join: 'join_requested', signUp: 'sign_up_requested', invite: 'person_invited' };

  test.each(Object.keys(KINDS) as Door[])(
    'stands in the mail of %s, and ends all three for every spelling of the mailbox',
    async (door) => {
      const doors = await doorsOf();
      const id = unique();
      const sent = await doors[door](`ada-${id}@gmail.com`);
      expect(await kindsSentTo(sent.data.id)).toEqual([KINDS[door]]);
      const { text, html, headers, unsubscribeUrl } = await messageOf(sent.data.id);
      expect(text).toContain(`Never write to me again: ${unsubscribeUrl}`);
      expect(html).toContain('>Never write to me again</a>');
      expect(headers).toMatchObject({ 'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click' });
      const path = new URL(unsubscribeUrl ?? '').pathname;
      const page = await get(path);
      expect([page.statusCode, page.body.includes('Never write to me again')]).toEqual([200, true]);
      // Opened by a mail scanner, it changes nothing.
      const before = await doors.join(`ada-${id}+1@gmail.com`);
      expect(await kindsSentTo(before.data.id)).toEqual(['join_requested']);
      expect((await post(path)).statusCode).toBe(200);
      expect(await kindsSentTo(before.data.id)).toEqual([]);
      const after = [
        await doors.join(`ada-${id}+2@gmail.com`),
        await doors.signUp(`ADA-${id}@gmail.com`),
        await doors.invite(`ada-${id}+3@gmail.com`),
      ];
      expect(after.map(({ status }) => status)).toEqual([201, 201, 201]);
      expect(await Promise.all(after.map(({ data }) => kindsSentTo(data.id)))).toEqual([[], [], []]);
    },
  );

  it('ends invites to programs as well, and says so to the merchant', async () => {
    const { join } = await doorsOf();
    const email = newAddress();
    const { data } = await join(email);
    const { unsubscribeUrl } = await messageOf(data.id);
    await post(new URL(unsubscribeUrl ?? '').pathname, 'strangers');
    const { key, programId } = await makeInviter(api);
    const added = await api.call('POST', '/affiliates', { key, body: { programId, email } });
    expect(await api.call('POST', `/affiliates/${added.data.id}/invite`, { key })).toMatchObject({
      status: 409,
      error: { details: { reason: 'ALREADY_INVITED' } },
    });
  });

  it('leaves links to sign in, and can be taken back there or by the operator', async () => {
    const { owner } = await makeCompany(api);
    const { join } = await doorsOf();
    const { data } = await join(owner.email);
    const { unsubscribeUrl } = await messageOf(data.id);
    const path = new URL(unsubscribeUrl ?? '').pathname;
    await post(path, 'strangers');
    const signIn = await callAs(api, anybody, 'startSignIn', { body: { email: owner.email } });
    expect(await kindsSentTo(signIn.data.id)).toEqual(['sign_in']);
    expect((await get(path)).body).toContain('Allow these emails again');
    expect((await post(path, 'again')).statusCode).toBe(200);
    expect(await kindsSentTo((await join(owner.email)).data.id)).toEqual(['join_requested']);
    await post(path, 'strangers');
    const operator = testContext(api.runtime);
    expect(await liftMailSuppression(operator, { address: owner.email })).toBe(true);
    expect(await liftMailSuppression(operator, { address: owner.email })).toBe(false);
    expect(await kindsSentTo((await join(owner.email)).data.id)).toEqual(['join_requested']);
  });

  it('is a link that nobody can make: those of other mails do not allow strangers again', async () => {
    expect((await post('/unsubscribe/forged', 'again')).statusCode).toBe(404);
    const { data } = await (await doorsOf()).join(newAddress());
    const { unsubscribeUrl } = await messageOf(data.id);
    const path = new URL(unsubscribeUrl ?? '').pathname;
    const [, first = '', rest = ''] = /^\/unsubscribe\/(.)(.*)$/.exec(path) ?? [];
    expect((await post(`/unsubscribe/${first === 'A' ? 'B' : 'A'}${rest}`, 'strangers')).statusCode).toBe(404);
  });
});

test('a network of IPv6 is told to wait after 100 requests, from whichever of its addresses they come', async () => {
  const group = Math.floor(Math.random() * 0xff_ff).toString(16);
  const start = (address: string) => callAs(api, anybody, 'startSignIn', { body: { email: newAddress() } }, address);
  const { em } = testContext(api.runtime);
  for (let n = 0; n < 5; n++) expect((await start(`2001:db8:${group}:${n}::/64`)).status).toBe(201);
  // Pretend that there were 95 more.
  await execute(
    em,
    sql`insert into sign_in (id, mailbox_digest, network_digest, token_hash, code_digest, created_at, expires_at)
      select gen_random_uuid(), 'x', network_digest, sha256(gen_random_uuid()::text::bytea), '', created_at, expires_at
      from sign_in, generate_series(1, 19) where network_digest is not null and created_at > now() - interval '5 minutes'`,
  );
  expect(await rows(em, sql`select count(*)::int as count from sign_in where network_digest is not null`)).toEqual([
    { count: 100 },
  ]);
  expect((await start(`2001:db8:${group}:ffff::/64`)).status).toBe(429);
  expect((await start('2001:db8:0:1::/64')).status).toBe(201);
  expect((await start('203.0.113.9')).status).toBe(201);
});

test('the mailbox of one merchant gets at most ten mails of a kind in a day', async () => {
  const { merchantId } = await makeMerchant(api.runtime);
  const id = unique();
  const sent: string[] = [];
  for (let n = 0; n < 12; n++) {
    const { invite } = await createPersonInvite(withMails({ ofInstallation: 1_000, ofMerchant: 1_000 }), {
      merchantId,
      email: `ada-${id}+${n}@gmail.com`,
      role: 'viewer',
    });
    sent.push(...(await kindsSentTo(invite.id)));
  }
  expect(sent).toHaveLength(10);
});
