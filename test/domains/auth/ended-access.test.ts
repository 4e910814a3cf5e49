import { revokeApiKey } from '../../../src/domains/auth/index.ts';
import { createPersonInvite } from '../../../src/domains/people/index.ts';
import { useOwnApi } from '../../support/api.ts';
import { makeApprovals } from '../../support/approvals.ts';
import { makeAffiliate, makeKey, sendSale } from '../../support/factories.ts';
import { callAs, makePerson } from '../../support/people.ts';
import { rowsOf } from '../../support/rail-payouts.ts';

const api = useOwnApi();
const KINDS = ['adjustment', 'payout', 'payout_run', 'pending_change', 'person_invite'];
const OPEN = {
  adjustment: `select id from adjustment_request where merchant_id = ? and status = 'awaiting_approval'`,
  payout: `select id from payout where merchant_id = ? and status = 'pending'`,
  payout_run: `select id from payout_run where merchant_id = ? and status in ('draft','awaiting_approval')`,
  pending_change: `select id from pending_change where merchant_id = ? and status = 'pending'`,
  person_invite: `select id from person_invite where merchant_id = ? and ended_at is null`,
};

/** A company with an owner and others, in which all kinds of work wait in the name of one. */
const makeOffice = async () => {
  const approvals = await makeApprovals(api, { threshold: 1_000 });
  const { merchantId, program, key } = approvals;
  const [boss, owner] = [await makePerson(api, { merchantId }), await makePerson(api, { merchantId })];
  await api.call('PATCH', '/merchant', { key, body: { payoutDailyLimit: { usd: 900_000 } } });
  const other = await makeAffiliate(api.runtime, program.programId);
  await sendSale(api, program, { referralCode: other.code });
  const { data: made } = await callAs(api, owner.actor, 'createApiKey', { body: { name: 'mine', preset: 'merchant:full' } });
  const keyOfOwner = { id: made.key.id, value: made.value };
  /** A payout, a run, an adjustment and a change that wait, by a key. */
  const makeByKey = async (by: string) => {
    const call = (method: 'POST' | 'PATCH', path: string, body: object) => api.call(method, path, { key: by, body });
    const { programId, affiliateId } = approvals;
    const payout = await call('POST', '/payouts', { affiliateId, programId });
    const note = 'Agreed by phone';
    const adjustment = await call('POST', `/affiliates/${affiliateId}/adjustments`, { amount: 1_500, kind: 'bonus', note });
    await call('PATCH', '/merchant', { payoutDailyLimit: null });
    const run = await call('POST', '/payout-runs', { programId });
    expect([payout.data.approvalRequiredAt, adjustment.data.status, run.data.status]).toEqual([
      payout.data.createdAt,
      'awaiting_approval',
      'draft',
    ]);
    return { payoutId: payout.data.id, runId: run.data.id, run: run.data };
  };
  const open = async () => {
    const found: string[] = [];
    for (const [kind, query] of Object.entries(OPEN)) if ((await rowsOf(api, query, [merchantId])).length > 0) found.push(kind);
    return found;
  };
  return { ...approvals, boss, owner, keyOfOwner, makeByKey, open };
};

const kindsOf = (cancelled: readonly { kind: string }[]) => cancelled.map(({ kind }) => kind).sort();
const sweep = () => api.runtime.applyDueApprovals(api.runtime.context({ kind: 'system', name: 'approvals' }));

describe('MN11: what waits in the name of somebody who is gone is cancelled and listed', () => {
  it('when their key is revoked', async () => {
    const { key, keyId, otherKey, makeByKey, open, act } = await makeOffice();
    const { payoutId, runId } = await makeByKey(key);
    const revoked = await api.call('DELETE', `/auth/keys/${keyId}`, { key: otherKey });
    expect(kindsOf(revoked.data.cancelled)).toEqual(KINDS.slice(0, 4));
    expect(revoked.data.cancelled).toEqual(
      expect.arrayContaining([
        { kind: 'payout', id: payoutId },
        { kind: 'payout_run', id: runId },
      ]),
    );
    expect(await open()).toEqual([]);
    expect((await act(payoutId, 'approve')).error?.details).toMatchObject({ reason: 'ALREADY_DECIDED' });
    const { data: payout } = await api.call('GET', `/payouts/${payoutId}`, { key: otherKey });
    expect(payout).toMatchObject({ status: 'failed', failureCode: 'cancelled' });
    const lines = (await api.call('GET', `/payouts/${payoutId}/timeline`, { key: otherKey })).data;
    expect(lines.at(-1)).toMatchObject({ description: 'Cancelled: whoever created it may no longer pay' });
    const again = await api.call('DELETE', `/auth/keys/${keyId}`, { key: otherKey });
    expect(again.data.cancelled).toEqual([]);
  });

  it('when the person is removed: what they made, and what their keys made, unless these are kept', async () => {
    for (const keepKeys of [[], 'all'] as const) {
      const { boss, owner, keyOfOwner, makeByKey, open } = await makeOffice();
      await makeByKey(keyOfOwner.value);
      await callAs(api, owner.actor, 'invitePerson', { body: { email: 'new@acme.example', role: 'owner' } });
      const kept = keepKeys === 'all' ? [keyOfOwner.id] : [];
      const { data } = await callAs(api, boss.actor, 'removePerson', {
        params: { id: owner.personId },
        body: { keepKeys: kept },
      });
      expect(kindsOf(data.cancelled)).toEqual(keepKeys === 'all' ? ['person_invite'] : KINDS);
      expect(await open()).toEqual(keepKeys === 'all' ? KINDS.slice(0, 4) : []);
    }
  });

  it('when an owner is removed who asked for other passkeys of somebody', async () => {
    const { boss, owner, merchantId } = await makeOffice();
    const colleague = await makePerson(api, { merchantId, role: 'finance' });
    const id = api.runtime.ids.next();
    await rowsOf(
      api,
      `insert into passkey_replacement (id, person_id, owner_id, requested_by, status, token_hash, created_at, due_at)
        values (?, ?, ?, ?, 'pending', sha256(?::bytea), now(), now() + interval '1 day')`,
      [id, colleague.personId, merchantId, `person:${owner.personId}`, id],
    );
    const { data } = await callAs(api, boss.actor, 'removePerson', { params: { id: owner.personId }, body: {} });
    expect(data.cancelled).toEqual([{ kind: 'passkey_replacement', id }]);
    expect(await rowsOf(api, 'select status from passkey_replacement where id = ?', [id])).toEqual([{ status: 'stopped' }]);
  });

  it('when the role of the person no longer allows it', async () => {
    const { boss, owner, keyOfOwner, makeByKey, open } = await makeOffice();
    await makeByKey(keyOfOwner.value);
    await callAs(api, owner.actor, 'invitePerson', { body: { email: 'new@acme.example', role: 'owner' } });
    await callAs(api, boss.actor, 'changePersonRole', { params: { id: owner.personId }, body: { role: 'manager' } });
    expect(await open()).toEqual([]);
  });

  it('when the operator revokes the key, or the role ended in another way', async () => {
    const { keyId, key, makeByKey, open } = await makeOffice();
    await makeByKey(key);
    await revokeApiKey(api.runtime.context({ kind: 'system', name: 'cli' }), { id: keyId });
    expect(await open()).toEqual([]);
    const other = await makeOffice();
    await callAs(api, other.owner.actor, 'invitePerson', { body: { email: 'new@acme.example', role: 'finance' } });
    await rowsOf(api, 'update person_role set removed_at = now() where person_id = ?', [other.owner.personId]);
    expect(await other.open()).toEqual(['person_invite']);
    await sweep();
    expect(await other.open()).toEqual([]);
  });

  it('after 72 hours no change of a revoked key takes effect', async () => {
    const { keyId, key, merchantId, makeByKey } = await makeOffice();
    await makeByKey(key);
    await rowsOf(api, 'update api_key set revoked_at = now() where id = ?', [keyId]);
    await api.runtime.applyDueApprovals({
      ...api.runtime.context({ kind: 'system', name: 'approvals' }),
      clock: { now: () => new Date(Date.now() + 73 * 3_600_000) },
    });
    const [merchant] = await rowsOf(api, 'select payout_daily_limit from merchant where id = ?', [merchantId]);
    expect(merchant?.['payout_daily_limit']).toEqual({ usd: 900_000 });
  });

  it('and nothing of anybody else: another key, an expired key, a draft that somebody else confirmed, what was approved', async () => {
    const own = await makeOffice();
    const { keyId, key, otherKey, merchantId, makeByKey, act, open } = own;
    const { payoutId, run } = await makeByKey(key);
    await act(payoutId, 'approve');
    const { total, items } = run;
    const confirmed = await api.call('POST', `/payout-runs/${run.id}/confirm`, { key: otherKey, body: { total, items } });
    expect(confirmed.data.status).toBe('awaiting_approval');
    await createPersonInvite(api.runtime.context({ kind: 'system', name: 'cli' }), {
      merchantId,
      email: 'new@acme.example',
      role: 'owner',
    });
    const stranger = await makeKey(api.runtime, { ownerId: merchantId });
    await rowsOf(api, `update api_key set expires_at = now() - interval '1 second' where id = ?`, [keyId]);
    await sweep();
    expect(await open()).toEqual(KINDS);
    const revoked = await api.call('DELETE', `/auth/keys/${stranger.keyId}`, { key: otherKey });
    expect(revoked.data.cancelled).toEqual([]);
    const last = await api.call('DELETE', `/auth/keys/${keyId}`, { key: otherKey });
    expect(kindsOf(last.data.cancelled)).toEqual(['adjustment', 'pending_change']);
  });

  it('an approval and the end of the creator at once: it is approved or cancelled, never both', async () => {
    for (let round = 0; round < 4; round++) {
      const { keyId, key, otherKey, affiliateId, pay, act } = await makeApprovals(api, { threshold: 1_000 });
      const { data: payout } = await pay(affiliateId, key);
      const [approved, revoked] = await Promise.all([
        act(payout.id, 'approve'),
        api.call('DELETE', `/auth/keys/${keyId}`, { key: otherKey }),
      ]);
      expect(revoked.status).toBe(200);
      expect(revoked.data.cancelled).toHaveLength(approved.status === 200 ? 0 : 1);
      const { data } = await api.call('GET', `/payouts/${payout.id}`, { key: otherKey });
      expect(data.status).toBe(approved.status === 200 ? 'pending' : 'failed');
    }
  });
});
