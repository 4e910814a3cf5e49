import { eraseMails } from '../../../src/domains/notifications/index.ts';
import { runSql } from '../../../src/local/stack/sql.ts';
import { mailsAbout } from '../../domains/notifications/support.ts';
import { useOwnApi } from '../../support/api.ts';
import { makeAffiliateKey, unique } from '../../support/factories.ts';
import { ownerUrlOf } from '../../support/many-commissions.ts';
import { MISSING_ID } from '../../support/payouts.ts';
import { rowsOf } from '../../support/rail-payouts.ts';
import { claim, makeInviter } from './support.ts';

const api = useOwnApi({ MAIL_PER_DAY: '100000', MAIL_PER_DAY_PER_MERCHANT: '4' });

const conflictOf = (reason: string) => ({ status: 409, error: { details: { reason } } });
const anEmail = () => `i-${unique()}@example.com`;

/** A merchant who added somebody. */
const makeAdded = async (email = anEmail()) => {
  const inviter = await makeInviter(api);
  const { key, programId } = inviter;
  const added = await api.call('POST', '/affiliates', { key, body: { programId, email } });
  const affiliateId: string = added.data.id;
  const mails = () => mailsAbout(api.runtime, programId);
  const invite = (as = key) => api.call('POST', `/affiliates/${affiliateId}/invite`, { key: as });
  return { ...inviter, email, affiliateId, mails, inviteAffiliate: invite };
};

/** As if the mails to people whom the program invited were older. */
const age = async (programId: string, by: string): Promise<void> => {
  await rowsOf(api, `update mail set created_at = created_at - ?::interval where subject_id = ? returning id`, [by, programId]);
  await rowsOf(
    api,
    `update mail_invitation set invited_at = invited_at - ?::interval, reminded_at = reminded_at - ?::interval
     where program_id = ? returning program_id`,
    [by, by, programId],
  );
};

test('IN4: an affiliate whom the merchant added is mailed a link, and joins by it with a key of their own', async () => {
  const { inviteAffiliate, mails, email, affiliateId, key } = await makeAdded();
  const invited = await inviteAffiliate();
  expect(invited).toMatchObject({ status: 201, data: { email, status: 'open', skipOnboarding: true } });
  const [mail] = await mails();
  expect(mail).toMatchObject({ kind: 'program_invite', to: email, waiting: true });
  expect(mail?.text).toContain(`/i/${invited.data.token}`);
  const [{ id }] = await rowsOf(api, 'select id from affiliate_profile where email = ?', [email]);
  const person = { key: await makeAffiliateKey(api.runtime, id) };
  expect(await claim(api, person, invited.data.token)).toMatchObject({ data: { status: 'auto_approved', affiliateId } });
  expect(await inviteAffiliate()).toMatchObject(conflictOf('ALREADY_MEMBER'));
  expect((await api.call('GET', `/affiliates/${affiliateId}`, { key })).status).toBe(200);
});

test('IN4: an address gets one mail for a program and one reminder from the day after, by the same invite, however often it is asked for', async () => {
  const { inviteAffiliate, mails, programId, list, email, create } = await makeAdded();
  const both = await Promise.all([inviteAffiliate(), inviteAffiliate()]);
  expect(both.map(({ status }) => status).sort()).toEqual([201, 409]);
  expect(both.find(({ status }) => status === 409)).toMatchObject(conflictOf('ALREADY_INVITED'));
  expect(await create({ email: email.toUpperCase(), sendMail: true })).toMatchObject(conflictOf('ALREADY_INVITED'));
  expect(await mails()).toHaveLength(1);
  await age(programId, '25 hours');
  expect(await inviteAffiliate()).toMatchObject({ status: 201 });
  expect((await mails()).map(({ subject }) => subject.startsWith('Reminder: '))).toEqual([false, true]);
  await age(programId, '25 hours');
  expect(await inviteAffiliate()).toMatchObject(conflictOf('ALREADY_INVITED'));
  expect((await list()).data).toHaveLength(1);
});

test('IN9: an email invite is mailed on request only, in our words, with names that are no links', async () => {
  const inviter = await makeInviter(api, { name: 'Win at https://evil.example now' });
  const email = anEmail();
  await inviter.create({ email: anEmail() });
  const invited = await inviter.create({ email, sendMail: true, name: 'A label of the merchant' });
  const mails = await mailsAbout(api.runtime, inviter.programId);
  expect(mails).toMatchObject([{ to: email }]);
  expect(mails[0]?.text).toContain(`/i/${invited.data.token}`);
  expect(mails[0]?.text).not.toContain('evil.example');
  expect(mails[0]?.text).not.toContain('A label of the merchant');
  expect(await inviter.create({ sendMail: true })).toMatchObject({
    status: 422,
    error: { details: { issues: [{ path: 'sendMail' }] } },
  });
});

test('IN4: invites respect the daily mails of the merchant and who unsubscribed, and then there is no invite', async () => {
  const inviter = await makeInviter(api);
  const emails = [anEmail(), anEmail(), anEmail(), anEmail()];
  for (const email of emails) expect((await inviter.create({ email, sendMail: true })).status).toBe(201);
  expect(await inviter.create({ email: anEmail(), sendMail: true })).toMatchObject(conflictOf('MAIL_LIMIT'));
  expect((await inviter.list()).data).toHaveLength(4);
  const { inviteAffiliate, programId, list } = await makeAdded(emails[0]);
  await rowsOf(
    api,
    `insert into mail_opt_out select recipient_digest, ?::uuid, now() from mail where subject_id = ? order by id limit 1 returning program_id`,
    [programId, inviter.programId],
  );
  expect(await inviteAffiliate()).toMatchObject(conflictOf('ALREADY_INVITED'));
  expect((await list()).data).toEqual([]);
});

test('IN4: a blocked affiliate, a paused program, a foreign and a missing affiliate are refused', async () => {
  const { inviteAffiliate, affiliateId, key, programId, mails } = await makeAdded();
  const other = await makeInviter(api);
  expect((await inviteAffiliate(other.key)).status).toBe(403);
  expect((await api.call('POST', `/affiliates/${MISSING_ID}/invite`, { key })).status).toBe(404);
  await api.call('POST', `/affiliates/${affiliateId}/block`, { key, body: {} });
  expect(await inviteAffiliate()).toMatchObject(conflictOf('AFFILIATE_BLOCKED'));
  await api.call('POST', `/affiliates/${affiliateId}/unblock`, { key });
  await api.call('PATCH', `/programs/${programId}`, { key, body: { status: 'paused' } });
  expect(await inviteAffiliate()).toMatchObject(conflictOf('PROGRAM_INACTIVE'));
  expect(await mails()).toEqual([]);
});

test('SE1: tags in an address give no further invites to its mailbox, of one program or in a day', async () => {
  const { create, programId } = await makeInviter(api);
  const name = `victim-${unique()}`;
  expect((await create({ email: `${name}@example.com`, sendMail: true })).status).toBe(201);
  for (const email of [`${name}+1@example.com`, `${name.toUpperCase()}+shop@Example.com`])
    expect(await create({ email, sendMail: true })).toMatchObject(conflictOf('ALREADY_INVITED'));
  expect(await mailsAbout(api.runtime, programId)).toHaveLength(1);
  const statuses: number[] = [];
  for (let n = 0; n < 6; n++) {
    const other = await makeInviter(api);
    statuses.push((await other.create({ email: `${name}+${n}@example.com`, sendMail: true })).status);
  }
  expect(statuses).toEqual([201, 201, 201, 201, 409, 409]);
  expect((await create({ email: `${name}-other@example.com`, sendMail: true })).status).toBe(201);
});

test('SE1: a mailbox is invited to a program once, also when its mails were deleted and its person erased', async () => {
  const { inviteAffiliate, programId, create, email } = await makeAdded();
  expect((await inviteAffiliate()).status).toBe(201);
  await age(programId, '25 hours');
  expect((await inviteAffiliate()).status).toBe(201);
  await age(programId, '100 days');
  await eraseMails(api.runtime.context({ kind: 'system', name: 'test' }), { address: email });
  await runSql(ownerUrlOf(api), `delete from mail where subject_id = '${programId}'`);
  expect(await create({ email, sendMail: true })).toMatchObject(conflictOf('ALREADY_INVITED'));
});
