import { randomUUID } from 'node:crypto';
import { useTestApi } from '../../support/api.ts';
import { makeKey, makeMerchant, sendSale, unique } from '../../support/factories.ts';
import { rowsOf } from '../../support/rail-payouts.ts';
import { claim, makeInviter, makePerson, type TestPerson } from '../invites/support.ts';

const api = useTestApi();

const conflictOf = (reason: string) => ({ status: 409, error: { code: 'CONFLICT', details: { reason } } });
const eventsOf = async (programId: string): Promise<string[]> =>
  (
    await rowsOf(api, `select type from webhook_event where program_id = ? and type like 'affiliate.%' order by id`, [programId])
  ).map(({ type }) => type);
const applicationsOf = (programId: string) =>
  rowsOf(api, 'select id, affiliate_id, status, source, invite_id from application where program_id = ? order by id', [
    programId,
  ]);
const usesOf = async (token: string): Promise<number> =>
  (await rowsOf(api, 'select usage_count from invite where token = ?', [token]))[0].usage_count;

describe('201', () => {
  it('an invite that skips onboarding makes the person an affiliate at once, with the code of the invite', async () => {
    const { programId, invite, members } = await makeInviter(api);
    const trackingCode = `code-${unique()}`;
    const ada = await makePerson(api);
    const claimed = await claim(api, ada, await invite({ email: ada.email.toUpperCase(), trackingCode, skipOnboarding: true }));
    expect(claimed.status).toBe(201);
    expect(claimed.data).toEqual({
      applicationId: expect.any(String),
      affiliateId: expect.any(String),
      programId,
      status: 'auto_approved',
      nextSteps: expect.arrayContaining([expect.stringContaining('/me/links')]),
    });
    expect((await members()).data).toMatchObject([{ id: claimed.data.affiliateId, code: trackingCode, source: 'invite' }]);
    expect(await eventsOf(programId)).toEqual(['affiliate.joined', 'affiliate.approved']);
    expect(await applicationsOf(programId)).toMatchObject([{ affiliate_id: claimed.data.affiliateId, source: 'invite' }]);
  });

  it('another invite waits for the merchant, who approves: then the code of the invite counts', async () => {
    const inviter = await makeInviter(api);
    const trackingCode = `code-${unique()}`;
    const token = await inviter.invite({ trackingCode });
    const claimed = await claim(api, await makePerson(api), token);
    expect(claimed).toMatchObject({ status: 201, data: { status: 'pending' } });
    expect((await inviter.members()).data).toEqual([]);
    expect(await inviter.create({ trackingCode })).toMatchObject(conflictOf('CODE_TAKEN'));
    const { key } = inviter;
    expect((await api.call('POST', `/applications/${claimed.data.applicationId}/approve`, { key })).status).toBe(200);
    expect((await inviter.members()).data).toMatchObject([{ id: claimed.data.affiliateId, code: trackingCode }]);
    expect(await eventsOf(inviter.programId)).toEqual(['affiliate.joined', 'affiliate.approved']);
  });

  it('a claim is approved at once in a program that approves applications, also one that takes none', async () => {
    const { invite } = await makeInviter(api, { autoApproveAffiliates: true, applicationAccess: 'invite_only' });
    expect(await claim(api, await makePerson(api), await invite())).toMatchObject({
      status: 201,
      data: { status: 'auto_approved' },
    });
  });

  it('sales with the code of the invite are credited', async () => {
    const inviter = await makeInviter(api);
    const secret = await api.call('POST', `/programs/${inviter.programId}/event-secret`, { key: inviter.key });
    const program = { programId: inviter.programId, eventSecret: secret.data.signingSecret };
    const trackingCode = `code-${unique()}`;
    const token = await inviter.invite({ trackingCode, skipOnboarding: true });
    expect((await sendSale(api, program, { referralCode: trackingCode })).data.outcome).toBe('unattributed');
    await claim(api, await makePerson(api), token);
    expect((await sendSale(api, program, { referralCode: trackingCode })).data.outcome).toBe('recorded');
  });

  it('a merchant key claims on the profile with the email address of its merchant', async () => {
    const inviter = await makeInviter(api);
    const merchant = await makeMerchant(api.runtime);
    const [{ email }] = await rowsOf(api, 'select email from merchant where id = ?', [merchant.merchantId]);
    const claimed = await claim(api, merchant, await inviter.invite({ email, skipOnboarding: true }));
    expect(claimed).toMatchObject({ status: 201, data: { status: 'auto_approved' } });
    expect((await inviter.members()).data).toMatchObject([{ id: claimed.data.affiliateId, email }]);
    const again = await claim(api, merchant, await inviter.invite({ skipOnboarding: true }));
    expect(again).toMatchObject(conflictOf('ALREADY_MEMBER'));
  });

  it('somebody whom the merchant added joins the membership that exists', async () => {
    const { key, programId, invite, members } = await makeInviter(api);
    const ada = await makePerson(api);
    const added = await api.call('POST', '/affiliates', { key, body: { programId, email: ada.email } });
    expect((await members()).data).toMatchObject([{ id: added.data.id }]);
    const [token, other] = [await invite(), await invite()];
    expect(await claim(api, ada, token)).toMatchObject({
      status: 201,
      data: { affiliateId: added.data.id, status: 'auto_approved' },
    });
    expect(await claim(api, ada, other)).toMatchObject(conflictOf('ALREADY_MEMBER'));
    expect((await members()).meta.total).toBe(1);
  });

  it('a retry with the same Idempotency-Key returns the same response', async () => {
    const { invite, programId } = await makeInviter(api);
    const [token, { key }, headers] = [await invite(), await makePerson(api), { 'idempotency-key': randomUUID() }];
    const send = () => api.call('POST', `/invites/${token}/claim`, { key, headers });
    const first = await send();
    expect((await send()).text).toBe(first.text);
    expect(await applicationsOf(programId)).toHaveLength(1);
  });
});

describe('claiming it again', () => {
  it('another claim returns the same application while it waits and once it is approved, and takes no further use', async () => {
    const { key, invite } = await makeInviter(api);
    const [token, ada] = [await invite({ isPublic: true, usageLimit: 2 }), await makePerson(api)];
    const first = await claim(api, ada, token);
    expect((await claim(api, ada, token)).data).toEqual(first.data);
    await api.call('POST', `/applications/${first.data.applicationId}/approve`, { key });
    expect(await claim(api, ada, token)).toMatchObject({
      status: 201,
      data: { ...first.data, status: 'approved', nextSteps: expect.any(Array) },
    });
    expect(await usesOf(token)).toBe(1);
  });

  it('somebody whom the merchant had added before gets the same application, too', async () => {
    const { key, programId, invite } = await makeInviter(api);
    const [token, ada] = [await invite(), await makePerson(api)];
    await api.call('POST', '/affiliates', { key, body: { programId, email: ada.email } });
    const first = await claim(api, ada, token);
    expect(first).toMatchObject({ status: 201, data: { status: 'auto_approved' } });
    expect(await claim(api, ada, token)).toMatchObject({
      status: 201,
      data: { applicationId: first.data.applicationId, affiliateId: first.data.affiliateId, status: 'approved' },
    });
    expect(await usesOf(token)).toBe(1);
  });

  it('another claim works although the invite has expired or is used up meanwhile', async () => {
    const { invite } = await makeInviter(api);
    const [token, ada] = [await invite({ skipOnboarding: true }), await makePerson(api)];
    const first = await claim(api, ada, token);
    await rowsOf(api, `update invite set expires_at = now() - interval '1 second' where token = ?`, [token]);
    expect(await claim(api, ada, token)).toMatchObject({ status: 201, data: first.data });
  });

  it('another claim after a withdrawal submits a new application, with the code, without a further use', async () => {
    const inviter = await makeInviter(api);
    const trackingCode = `code-${unique()}`;
    const [token, ada] = [await inviter.invite({ trackingCode }), await makePerson(api)];
    const first = await claim(api, ada, token);
    expect((await api.call('POST', `/me/applications/${first.data.applicationId}/withdraw`, { key: ada.key })).status).toBe(200);
    const second = await claim(api, ada, token);
    expect(second).toMatchObject({ status: 201, data: { status: 'pending' } });
    expect(second.data.applicationId).not.toBe(first.data.applicationId);
    expect(await usesOf(token)).toBe(1);
    await api.call('POST', `/applications/${second.data.applicationId}/approve`, { key: inviter.key });
    expect((await inviter.members()).data).toMatchObject([{ id: second.data.affiliateId, code: trackingCode }]);
  });

  it('another claim after a decline is REAPPLY_LATER, and after a block AFFILIATE_BLOCKED, also with another invite', async () => {
    const { key, invite } = await makeInviter(api);
    const people = { decline: 'REAPPLY_LATER', block: 'AFFILIATE_BLOCKED' };
    for (const [verb, reason] of Object.entries(people)) {
      const [token, ada] = [await invite(), await makePerson(api)];
      const { data } = await claim(api, ada, token);
      await api.call('POST', `/applications/${data.applicationId}/${verb}`, { key });
      expect(await claim(api, ada, token)).toMatchObject(conflictOf(reason));
      expect(await claim(api, ada, await invite({ skipOnboarding: true }))).toMatchObject(conflictOf(reason));
    }
  });
});

describe('409', () => {
  it('INVITE_EXPIRED from the moment of the expiry', async () => {
    const { invite, programId } = await makeInviter(api);
    const token = await invite();
    await rowsOf(api, `update invite set expires_at = now() - interval '1 second' where token = ?`, [token]);
    expect(await claim(api, await makePerson(api), token)).toMatchObject(conflictOf('INVITE_EXPIRED'));
    expect(await applicationsOf(programId)).toEqual([]);
    expect(await usesOf(token)).toBe(0);
  });

  it('INVITE_USED_UP for the next person after the last use', async () => {
    const { invite, programId } = await makeInviter(api);
    const token = await invite({ isPublic: true, usageLimit: 2 });
    for (const status of [201, 201]) expect((await claim(api, await makePerson(api), token)).status).toBe(status);
    expect(await claim(api, await makePerson(api), token)).toMatchObject(conflictOf('INVITE_USED_UP'));
    expect(await applicationsOf(programId)).toHaveLength(2);
  });

  it('INVITE_EMAIL_MISMATCH for another address, without naming the right one', async () => {
    const { invite, programId } = await makeInviter(api);
    const email = `ada-${unique()}@blog.example`;
    const token = await invite({ email, skipOnboarding: true });
    const rejected = await claim(api, await makePerson(api), token);
    expect(rejected).toMatchObject(conflictOf('INVITE_EMAIL_MISMATCH'));
    expect(rejected.text).not.toContain(email);
    expect(await applicationsOf(programId)).toEqual([]);
    expect(await claim(api, await makePerson(api, email), token)).toMatchObject({ status: 201 });
  });

  it('OWN_PROGRAM for a key of the merchant', async () => {
    const inviter = await makeInviter(api);
    const token = await inviter.invite({ skipOnboarding: true });
    expect(await claim(api, inviter, token)).toMatchObject(conflictOf('OWN_PROGRAM'));
    expect((await inviter.members()).data).toEqual([]);
    expect(await usesOf(token)).toBe(0);
  });

  it.each(['paused', 'archived'])('PROGRAM_INACTIVE for a %s program', async (status) => {
    const { key, programId, invite } = await makeInviter(api);
    const token = await invite();
    await api.call('PATCH', `/programs/${programId}`, { key, body: { status } });
    expect(await claim(api, await makePerson(api), token)).toMatchObject(conflictOf('PROGRAM_INACTIVE'));
    await api.call('PATCH', `/programs/${programId}`, { key, body: { status: 'active' } });
    expect((await claim(api, await makePerson(api), token)).status).toBe(201);
  });

  it('ALREADY_MEMBER and APPLICATION_PENDING with a second invite, which keeps its use', async () => {
    const { invite } = await makeInviter(api);
    const cases = { ALREADY_MEMBER: true, APPLICATION_PENDING: false };
    for (const [reason, skipOnboarding] of Object.entries(cases)) {
      const ada = await makePerson(api);
      await claim(api, ada, await invite({ skipOnboarding }));
      const second = await invite({ skipOnboarding: true });
      expect(await claim(api, ada, second)).toMatchObject(conflictOf(reason));
      expect(await usesOf(second)).toBe(0);
    }
  });

  it('AFFILIATE_BLOCKED for a blocked affiliate, with the invite that they claimed and with any other', async () => {
    const { key, invite } = await makeInviter(api);
    const [token, ada] = [await invite({ skipOnboarding: true }), await makePerson(api)];
    const { data } = await claim(api, ada, token);
    await api.call('POST', `/affiliates/${data.affiliateId}/block`, { key });
    for (const again of [token, await invite({ skipOnboarding: true }), await invite({ isPublic: true })]) {
      expect(await claim(api, ada, again)).toMatchObject(conflictOf('AFFILIATE_BLOCKED'));
    }
  });
});

it('404 for an unknown token, 403 without the scope', async () => {
  const { invite } = await makeInviter(api);
  const ada = await makePerson(api);
  expect(await claim(api, ada, `inv_${'0'.repeat(40)}`)).toMatchObject({ status: 404, error: { message: 'Invite not found' } });
  const { key } = await makeKey(api.runtime, { ownerId: ada.profileId, keyType: 'affiliate', scopes: ['marketplace:apply'] });
  expect(await claim(api, { key }, await invite())).toMatchObject({ status: 403, error: { code: 'INSUFFICIENT_SCOPE' } });
});

describe('races', () => {
  const ROUNDS = 50;

  it('the last use, claimed by several people at once in 50 rounds, goes to exactly one', async () => {
    const { invite, members } = await makeInviter(api);
    const people: TestPerson[] = [];
    for (let n = 0; n < 4; n++) people.push(await makePerson(api));
    let joined = 0;
    for (let round = 0; round < ROUNDS; round++) {
      const [ada, grace] = [await makePerson(api), await makePerson(api)];
      const token = await invite({ skipOnboarding: true });
      const claims = await Promise.all([ada, grace].map((person) => claim(api, person, token)));
      expect(claims.map(({ status }) => status).sort()).toEqual([201, 409]);
      expect(claims.find(({ status }) => status === 409)).toMatchObject(conflictOf('INVITE_USED_UP'));
      joined += 1;
    }
    expect((await members()).meta.total).toBe(joined);
    const token = await invite({ isPublic: true, usageLimit: 3, skipOnboarding: true });
    const claims = await Promise.all(people.map((person) => claim(api, person, token)));
    expect(claims.map(({ status }) => status).sort()).toEqual([201, 201, 201, 409]);
    expect(await usesOf(token)).toBe(3);
  });

  it('one person who claims an invite several times at once has one application and takes one use', async () => {
    const { invite, programId } = await makeInviter(api);
    const [token, ada] = [await invite({ isPublic: true }), await makePerson(api)];
    const claims = await Promise.all(Array.from({ length: 6 }, () => claim(api, ada, token)));
    expect(claims.map(({ status }) => status)).toEqual(Array(6).fill(201));
    expect(new Set(claims.map(({ data }) => data.applicationId)).size).toBe(1);
    expect(await applicationsOf(programId)).toHaveLength(1);
    expect(await usesOf(token)).toBe(1);
  });

  it('one person who claims two invites at once joins once', async () => {
    const { invite, programId } = await makeInviter(api);
    for (let round = 0; round < 10; round++) {
      const ada = await makePerson(api);
      const tokens = [await invite({ skipOnboarding: true }), await invite({ skipOnboarding: true })];
      const claims = await Promise.all(tokens.map((token) => claim(api, ada, token)));
      expect(claims.map(({ status }) => status).sort()).toEqual([201, 409]);
      expect(claims.find(({ status }) => status === 409)).toMatchObject(conflictOf('ALREADY_MEMBER'));
    }
    expect(await applicationsOf(programId)).toHaveLength(10);
  });
});
