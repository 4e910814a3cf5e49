import { createPersonInvite, createSignInLink } from '../../../src/domains/people/index.ts';
import { execute, rows, sql } from '../../../src/platform/database/sql.ts';
import { useTestApi } from '../../support/api.ts';
import { makeAffiliate, makeMerchant, makeProgram, unique } from '../../support/factories.ts';
import { callAs, makeCompany, makePerson, signedIn, tokenIn } from '../../support/people.ts';

const api = useTestApi();
const operator = { kind: 'system', name: 'test' } as const;
const anybody = { kind: 'anonymous' } as const;

const invite = async (merchantId: string, email: string): Promise<string> =>
  tokenIn((await createPersonInvite(api.runtime.context(operator), { merchantId, email, role: 'owner' })).url);

const accept = (token: string, session?: string) =>
  callAs(api, anybody, 'acceptPersonInvite', { body: { token, name: 'Grace Holt', session } });

const signInAgain = async (email: string) => {
  const { url } = await createSignInLink(api.runtime.context(operator), { email });
  return (await callAs(api, anybody, 'signIn', { body: { token: tokenIn(url) } })).data.token;
};

/** Somebody whom one company knows, and another one invites. */
const makeKnown = async () => {
  const { owner, merchantId } = await makeCompany(api);
  const { merchantId: inviting } = await makeMerchant(api.runtime);
  return { owner, merchantId, inviting, token: await invite(inviting, owner.email) };
};

const rolesAt = (merchantId: string) =>
  rows(
    api.runtime.context(operator).em,
    sql<{ personId: string }>`select person_id as "personId" from person_role where merchant_id = ${merchantId}::uuid`,
  );

const age = (token: string, change: string) =>
  execute(
    api.runtime.context(operator).em,
    sql`update person_session set ${sql.raw(change)} where token_hash = sha256(${token}::bytea)`,
  );

describe('the link of an invite to an address that has an account', () => {
  it('signs nobody in, and stays open until the person accepts it signed in', async () => {
    const { owner, inviting, token } = await makeKnown();
    expect(await accept(token)).toMatchObject({ status: 401, error: { code: 'UNAUTHORIZED' } });
    expect(await rolesAt(inviting)).toEqual([]);
    const session = await signInAgain(owner.email);
    expect(await accept(token, session)).toMatchObject({ status: 201, data: { token: session, home: 'merchant' } });
    expect(await rolesAt(inviting)).toEqual([{ personId: owner.personId }]);
    expect((await signedIn(api, session))?.merchant).toMatchObject({ ownerId: inviting });
    expect(await accept(token, session)).toMatchObject({ status: 404 });
  });

  it.each([
    ['of another person', async () => (await makeCompany(api)).owner.token],
    ['that nobody has', async () => 'forged'],
    ['that is empty', async () => ''],
  ])('is refused with a session %s', async (_, sessionOf) => {
    const { inviting, token } = await makeKnown();
    expect(await accept(token, await sessionOf())).toMatchObject({ status: 401 });
    expect(await rolesAt(inviting)).toEqual([]);
  });

  it.each([
    ['was ended', 'ended_at = now()'],
    ['has expired', "expires_at = now() - interval '1 second'"],
    ['was not used for 12 hours', "last_seen_at = now() - interval '12 hours 1 minute'"],
    ['is of the domain of a program', 'program_id = gen_random_uuid()'],
    ['opens another company only', 'only_merchant_id = gen_random_uuid()'],
  ])('is refused with a session of theirs that %s', async (_, change) => {
    const { owner, inviting, token } = await makeKnown();
    await age(owner.token, change);
    expect(await accept(token, owner.token)).toMatchObject({ status: 401 });
    expect(await rolesAt(inviting)).toEqual([]);
  });
});

describe('the link of an invite to somebody new', () => {
  const makeNew = async (email = `new-${unique()}@acme.example`) => {
    const { merchantId } = await makeMerchant(api.runtime);
    const { data } = await accept(await invite(merchantId, email));
    return { email, merchantId, session: data.token };
  };

  it('opens that company only, until the next sign-in', async () => {
    const { email, merchantId, session } = await makeNew();
    const { merchantId: other } = await makeMerchant(api.runtime);
    const added = await accept(await invite(other, email), await signInAgain(email));
    expect(added.status).toBe(201);
    const limited = await signedIn(api, session);
    expect(limited?.merchant).toMatchObject({ ownerId: merchantId });
    const actor = limited?.merchant?.actor ?? anybody;
    expect((await callAs(api, actor, 'listCompanies', {})).data.map((company) => company.merchantId)).toEqual([merchantId]);
    expect(await callAs(api, actor, 'chooseCompany', { body: { merchantId: other } })).toMatchObject({ status: 403 });
    expect((await signedIn(api, session))?.merchant).toMatchObject({ ownerId: merchantId });
    const again = await signedIn(api, await signInAgain(email));
    const companies = await callAs(api, again?.merchant?.actor ?? anybody, 'listCompanies', {});
    expect(companies.data.map((company) => company.merchantId).sort()).toEqual([merchantId, other].sort());
  });

  it('opens nothing of the affiliate with the same address, and nothing once the role there is removed', async () => {
    const { programId } = await makeProgram(api, (await makeMerchant(api.runtime)).key);
    const { profileId } = await makeAffiliate(api.runtime, programId);
    const { em } = api.runtime.context(operator);
    const [profile] = await rows(em, sql<{ email: string }>`select email from affiliate_profile where id = ${profileId}::uuid`);
    const { merchantId, session, email } = await makeNew(profile?.email);
    expect(await signedIn(api, session)).toMatchObject({ merchant: { ownerId: merchantId }, affiliate: null });
    expect((await signedIn(api, await signInAgain(email)))?.affiliate).toMatchObject({ ownerId: profileId });
    const { merchantId: second } = await makeMerchant(api.runtime);
    await makePerson(api, { merchantId: second, email });
    await execute(em, sql`update person_role set removed_at = now() where merchant_id = ${merchantId}::uuid`);
    expect(await signedIn(api, session)).toMatchObject({ merchant: null, affiliate: null });
  });
});
