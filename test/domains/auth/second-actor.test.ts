import { v7 } from 'uuid';
import { SCOPES_OF } from '../../../src/contracts/scopes.ts';
import { assertSecondActor, createApiKey, type Made } from '../../../src/domains/auth/index.ts';
import { useTestApi } from '../../support/api.ts';
import { makeAffiliate, makeKey, makeMerchant, makeProgram } from '../../support/factories.ts';

const api = useTestApi();

const actorOf = (keyId: string, ownerId: string) =>
  ({ kind: 'key', keyId, keyType: 'merchant', ownerId, scopes: SCOPES_OF.merchant }) as const;

/** What a key is told that approves something; null when it may. */
const refusal = async (keyId: string, ownerId: string, made: Partial<Made> & { createdBy: string }) => {
  const ctx = api.runtime.context(actorOf(keyId, ownerId));
  const madeAt = new Date(Date.now() + 60_000);
  return assertSecondActor(ctx, { madeAt, ...made }).then(
    () => null,
    (error: { code: string; details: { reason: string; cause: string } }) => error.details,
  );
};

/** A merchant with two keys of the operator: `root` made `child` and `sibling`, `child` made `grandchild`. */
const makeLines = async () => {
  const { merchantId, keyId: root } = await makeMerchant(api.runtime);
  const made = async (by: string) => {
    const ctx = api.runtime.context(actorOf(by, merchantId));
    const { key } = await createApiKey(ctx, { keyType: 'merchant', ownerId: merchantId, name: 'made', preset: 'merchant:full' });
    return key.id;
  };
  const { keyId: other } = await makeKey(api.runtime, { ownerId: merchantId });
  const child = await made(root);
  return { merchantId, root, child, sibling: await made(root), grandchild: await made(child), other, ofOther: await made(other) };
};

const SAME_LINE = { reason: 'SAME_ACTOR', cause: 'same_line' };

it('keys are one actor when one made the other or they share an ancestor; a key of the operator begins a line', async () => {
  const { merchantId, root, child, sibling, grandchild, other, ofOther } = await makeLines();
  const line = [root, child, sibling, grandchild];
  for (const maker of line) {
    for (const approver of line) {
      expect(await refusal(approver, merchantId, { createdBy: `key:${maker}` })).toEqual(SAME_LINE);
    }
    for (const approver of [other, ofOther]) {
      expect(await refusal(approver, merchantId, { createdBy: `key:${maker}` })).toBeNull();
      expect(await refusal(maker, merchantId, { createdBy: `key:${approver}` })).toBeNull();
    }
  }
});

it('who edited or confirmed is as who made it, and what the system made has no line', async () => {
  const { merchantId, root, child, other } = await makeLines();
  const made = { createdBy: 'system:payoutRun', others: [`key:${root}`, 'system:cli'] };
  expect(await refusal(child, merchantId, made)).toEqual(SAME_LINE);
  expect(await refusal(other, merchantId, made)).toBeNull();
  expect(await refusal(other, merchantId, { ...made, others: [...made.others, `key:${other}`] })).toEqual(SAME_LINE);
});

it('a revoked or unknown key that made something keeps its line', async () => {
  const { merchantId, root, child, other } = await makeLines();
  const ctx = api.runtime.context({ kind: 'system', name: 'test' });
  await ctx.em.execute('update api_key set revoked_at = now() where id = ?', [root]);
  expect(await refusal(child, merchantId, { createdBy: `key:${root}` })).toEqual(SAME_LINE);
  expect(await refusal(other, merchantId, { createdBy: `key:${v7()}` })).toBeNull();
});

it('a key that is newer than what it approves is refused', async () => {
  const { merchantId, root, other } = await makeLines();
  const ctx = api.runtime.context({ kind: 'system', name: 'test' });
  const [row] = await ctx.em.execute<{ at: string }[]>('select created_at as at from api_key where id = ?', [other]);
  const at = new Date(row?.at ?? '');
  const approve = (madeAt: Date) => refusal(other, merchantId, { createdBy: `key:${root}`, madeAt });
  expect(await approve(new Date(at.getTime() - 1))).toEqual({ reason: 'SAME_ACTOR', cause: 'newer_key' });
  expect(await approve(at)).toBeNull();
});

it('a key of somebody who is paid is refused', async () => {
  const { merchantId, key, keyId: root } = await makeMerchant(api.runtime);
  const { keyId: other } = await makeKey(api.runtime, { ownerId: merchantId });
  const { programId } = await makeProgram(api, key);
  const { profileId } = await makeAffiliate(api.runtime, programId);
  const approve = (profileIds: string[]) => refusal(other, merchantId, { createdBy: `key:${root}`, profileIds });
  expect(await approve([v7(), profileId])).toBeNull();
  const { em } = api.runtime.context({ kind: 'system', name: 'test' });
  await em.execute('update affiliate_profile set email = (select upper(email) from merchant where id = ?) where id = ?', [
    merchantId,
    profileId,
  ]);
  expect(await approve([v7(), profileId])).toEqual({ reason: 'SAME_ACTOR', cause: 'is_paid' });
});
