import { useTestApi } from '../../support/api.ts';
import { makeApprovals } from '../../support/approvals.ts';
import { callAs, mailedProof, makePerson, signedIn, type TestPerson } from '../../support/people.ts';
import { rowsOf } from '../../support/rail-payouts.ts';
import { mailsAbout } from '../notifications/support.ts';

const api = useTestApi();
const ANYBODY = { kind: 'anonymous' } as const;

/** An owner and a finance person who were there before the threshold, and what the owner can do with a second mailbox. */
const makeOffice = async () => {
  const approvals = await makeApprovals(api, { threshold: 1_000 });
  const { merchantId } = approvals;
  const [owner, finance] = [await makePerson(api, { merchantId }), await makePerson(api, { merchantId, role: 'finance' })];
  const signIn = async (token: string, email: string): Promise<TestPerson> => {
    await rowsOf(api, 'update person_session set passkey_at = now() where token_hash = sha256(?::bytea)', [token]);
    const person = await signedIn(api, token);
    if (!person?.merchant) throw new Error('nobody is signed in');
    return { personId: person.personId, email, token, actor: person.merchant.actor };
  };
  const invite = async (email: string, role: 'owner' | 'finance' | 'manager' | 'viewer' = 'owner') => {
    const { data } = await callAs(api, owner.actor, 'invitePerson', { body: { email, role } });
    const proof = await mailedProof(api, data.id);
    const accepted = await callAs(api, ANYBODY, 'acceptPersonInvite', {
      body: { token: proof?.token ?? '', name: 'Second Mailbox' },
    });
    return signIn(accepted.data.token, email);
  };
  const causeOf = ({ status, error }: { status: number; error?: { details: Record<string, unknown> } }) =>
    error ? error.details['cause'] : status;
  const approve = async ({ actor }: TestPerson, id: string) =>
    causeOf(await callAs(api, actor, 'approvePayout', { params: { id } }));
  const confirm = async ({ actor }: TestPerson, { personId: id }: TestPerson) =>
    causeOf(await callAs(api, actor, 'confirmApprover', { params: { id } }));
  const age = ({ personId }: TestPerson, hours: number) =>
    rowsOf(
      api,
      `update person_role set approves_from = approves_from - make_interval(hours => ?), role_since = role_since - make_interval(hours => ?)
        where person_id = ?`,
      [hours, hours, personId],
    );
  return { ...approvals, owner, finance, invite, approve, confirm, age };
};

const mailbox = (name: string) => `${name}-${Math.random().toString(36).slice(2)}@acme.example`;

describe('MN10: a second mailbox of an owner', () => {
  it.each(['owner', 'finance'] as const)('as %s approves nothing before 72 hours are over', async (role) => {
    const { invite, approve, pay, affiliateId, age } = await makeOffice();
    const second = await invite(mailbox('second'), role);
    const { data } = await pay(affiliateId);
    expect(await approve(second, data.id)).toBe('not_confirmed');
    await age(second, 71);
    expect(await approve(second, data.id)).toBe('not_confirmed');
    await age(second, 1);
    expect(await approve(second, data.id)).toBe(200);
  });

  it('approves nothing with a key that it made, nor after it was removed with the key kept', async () => {
    const { invite, owner, pay, affiliateId, act } = await makeOffice();
    const second = await invite(mailbox('second'));
    const { data: made } = await callAs(api, second.actor, 'createApiKey', { body: { name: 'mine', preset: 'merchant:full' } });
    const { data } = await pay(affiliateId);
    expect((await act(data.id, 'approve', made.value)).error?.details).toMatchObject({ cause: 'not_confirmed' });
    const removal = { params: { id: second.personId }, body: { keepKeys: [made.key.id] } };
    expect((await callAs(api, owner.actor, 'removePerson', removal)).status).toBe(200);
    expect((await act(data.id, 'approve', made.value)).error?.details).toMatchObject({ cause: 'not_confirmed' });
  });

  it('is confirmed by somebody who was there before, and by nobody else', async () => {
    const { invite, approve, confirm, pay, affiliateId, owner, finance } = await makeOffice();
    const [second, third] = [await invite(mailbox('second')), await invite(mailbox('third'))];
    const { data } = await pay(affiliateId);
    expect([await confirm(owner, second), await confirm(second, second)]).toEqual(['same_line', 'same_line']);
    // Newer than the other one, or not confirmed itself.
    expect([await confirm(third, second), await confirm(second, third)]).toEqual(['newer_key', 'not_confirmed']);
    expect(await approve(second, data.id)).toBe('not_confirmed');
    expect(await confirm(finance, second)).toBe(200);
    expect(await approve(second, data.id)).toBe(200);
    const again = await callAs(api, finance.actor, 'confirmApprover', { params: { id: second.personId } });
    expect(again.error?.details).toMatchObject({ reason: 'APPROVAL_NOT_REQUIRED' });
    const { data: left } = await callAs(api, finance.actor, 'listNewApprovers', {});
    expect(left.map(({ personId }) => personId)).toEqual([third.personId]);
  });

  it.each([
    ['manager', 'finance'],
    ['viewer', 'owner'],
    ['finance', 'owner'],
  ] as const)('whose role was raised from %s to %s waits too', async (from, to) => {
    const { merchantId, owner, approve, pay, affiliateId } = await makeOffice();
    const person = await makePerson(api, { merchantId, role: from });
    const { data: raised } = await callAs(api, owner.actor, 'changePersonRole', {
      params: { id: person.personId },
      body: { role: to },
    });
    expect(Date.parse(raised.approvesFrom ?? '')).toBeGreaterThan(Date.now() + 71 * 3_600_000);
    const again = await signedIn(api, person.token);
    const { data } = await pay(affiliateId);
    expect(again?.merchant && (await approve({ ...person, actor: again.merchant.actor }, data.id))).toBe('not_confirmed');
  });

  it('need not wait: a lower role, one before the threshold, and one by the operator', async () => {
    const { merchantId, owner, finance, invite, approve, pay, affiliateId } = await makeOffice();
    const manager = await invite(mailbox('manager'), 'manager');
    const byOperator = await makePerson(api, { merchantId });
    const lower = await callAs(api, owner.actor, 'changePersonRole', {
      params: { id: byOperator.personId },
      body: { role: 'finance' },
    });
    expect(lower.data.approvesFrom).toBeNull();
    const { data: people } = await callAs(api, owner.actor, 'listPeople', {});
    const waiting = people.filter(({ approvesFrom }) => approvesFrom !== null);
    expect([waiting, people.some(({ personId }) => personId === manager.personId)]).toEqual([[], true]);
    const { data } = await pay(affiliateId);
    expect(await approve(finance, data.id)).toBe(200);
  });

  it('is told to the account and the other owners, with the name and the time', async () => {
    const { invite, owner, merchantId } = await makeOffice();
    const other = await makePerson(api, { merchantId });
    const email = mailbox('second');
    const second = await invite(email, 'finance');
    const [role] = await rowsOf(api, 'select id, approves_from from person_role where person_id = ?', [second.personId]);
    const mails = await mailsAbout(api.runtime, role?.['id']);
    expect(mails).toHaveLength(3);
    for (const { kind, text } of mails) {
      expect(kind).toBe('account_changed');
      for (const word of ['Second Mailbox', email.replace('@acme.example', ''), 'finance', '/console/settings'])
        expect(text).toContain(word);
    }
    expect([owner.email, other.email]).not.toContain(email);
  });
});
