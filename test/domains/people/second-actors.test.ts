import { emitInternal, inTransaction } from '../../../src/platform/context.ts';
import { useTestApi } from '../../support/api.ts';
import { makeApprovals } from '../../support/approvals.ts';
import { callAs, makePerson } from '../../support/people.ts';

const api = useTestApi();

/** People who have their roles before the payout that they would approve. */
const makeOffice = async () => {
  const approvals = await makeApprovals(api, { threshold: 1_000 });
  const { merchantId } = approvals;
  const [owner, finance] = [await makePerson(api, { merchantId }), await makePerson(api, { merchantId, role: 'finance' })];
  const { data: made } = await callAs(api, owner.actor, 'createApiKey', { body: { name: 'mine', preset: 'merchant:full' } });
  const approve = async ({ actor }: typeof owner, id: string) => {
    const { status, error } = await callAs(api, actor, 'approvePayout', { params: { id } });
    return error ? error.details['cause'] : status;
  };
  return { ...approvals, owner, finance, keyOfOwner: made.value, approve };
};

it('a person and the keys that they made are one actor', async () => {
  const { pay, act, owner, finance, keyOfOwner, approve, affiliateId } = await makeOffice();
  const { data } = await pay(affiliateId, keyOfOwner);
  expect(data.status).toBeDefined();
  expect((await act(data.id, 'approve', keyOfOwner)).error?.details).toMatchObject({ cause: 'same_line' });
  expect(await approve(owner, data.id)).toBe('same_line');
  expect(await approve(finance, data.id)).toBe(200);
});

it('what a person made, their key must not approve', async () => {
  const { act, owner, finance, keyOfOwner, approve, affiliateId, programId, timeline } = await makeOffice();
  const { data } = await callAs(api, owner.actor, 'createPayout', { body: { affiliateId, programId } });
  expect((await act(data.id, 'approve', keyOfOwner)).error?.details).toMatchObject({ cause: 'same_line' });
  expect(await approve(finance, data.id)).toBe(200);
  const actors = (await timeline(data.id)).map(({ type, actor }) => `${type} ${actor}`);
  expect(actors).toEqual(expect.arrayContaining([`approved person:${finance.personId}`]));
});

it('who joined later, or got the role later, must not approve', async () => {
  const { merchantId, pay, approve, owner, affiliateId } = await makeOffice();
  const viewer = await makePerson(api, { merchantId, role: 'viewer' });
  const { data } = await pay(affiliateId);
  const later = await makePerson(api, { merchantId });
  expect(await approve(later, data.id)).toBe('newer_key');
  await callAs(api, owner.actor, 'changePersonRole', { params: { id: viewer.personId }, body: { role: 'finance' } });
  const promoted = { ...viewer, actor: { ...viewer.actor, scopes: owner.actor.scopes } };
  expect(await approve(promoted, data.id)).toBe('newer_key');
  expect(await approve(owner, data.id)).toBe(200);
});

it('who is paid must not approve, nor a key that they made', async () => {
  const { merchantId, pay, act, affiliateId, approve } = await makeOffice();
  const [row] = await api.runtime
    .context({ kind: 'system', name: 'test' })
    .em.execute<{ email: string }[]>(
      'select f.email from affiliate a join affiliate_profile f on f.id = a.profile_id where a.id = ?',
      [affiliateId],
    );
  const payee = await makePerson(api, { merchantId, email: row?.email ?? '' });
  const { data: made } = await callAs(api, payee.actor, 'createApiKey', { body: { name: 'mine', preset: 'merchant:full' } });
  const { data } = await pay(affiliateId);
  expect(await approve(payee, data.id)).toBe('is_paid');
  expect((await act(data.id, 'approve', made.value)).error?.details).toMatchObject({ cause: 'is_paid' });
});

it('people with the right are asked by mail, beside the merchant', async () => {
  const { merchantId, pay, affiliateId } = await makeOffice();
  await makePerson(api, { merchantId, role: 'manager' });
  const { data } = await pay(affiliateId);
  const ctx = api.runtime.context({ kind: 'system', name: 'test' });
  await inTransaction(ctx, (ctx) =>
    emitInternal(ctx, { type: 'payout.approval_requested', payoutId: data.id, merchantId, n: 1, payment: '100.00 USD' }),
  );
  const mails = await ctx.em.execute<{ n: number }[]>(
    "select count(distinct recipient_digest)::int as n from mail where kind = 'payout_approval' and subject_id = ? and period = '1'",
    [data.id],
  );
  expect(mails).toEqual([{ n: 3 }]);
});
