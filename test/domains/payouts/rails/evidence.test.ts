import { deleteExpiredNotifications, erasePayoutRecipients, readPayoutEvidence } from '../../../../src/domains/payouts/index.ts';
import { DAY_MS } from '../../../../src/platform/clock.ts';
import type { Context } from '../../../../src/platform/context.ts';
import { type RailPayout, rowsOf, useRailApi } from '../../../support/rail-payouts.ts';
import { useFakeRail } from '../../../support/rails/fake-payouts.ts';
import { recordStatements } from '../../../support/statements.ts';

const api = useRailApi({ asOwner: true });
const fake = useFakeRail(api);

const ctx = (): Context => api.runtime.context({ kind: 'system', name: 'operator' });
const read = ({ payoutId }: RailPayout) => readPayoutEvidence(ctx(), { id: payoutId });
const rowsAbout = ({ payoutId }: RailPayout) =>
  rowsOf(api, 'select * from payout_evidence where payout_id = ? order by id', [payoutId]);
const addressOf = async ({ profileId }: RailPayout): Promise<string> =>
  (await rowsOf(api, 'select email from affiliate_profile where id = ?', [profileId]))[0].email;

test('each send and each look-up with news leaves what was sent and answered, without credentials', async () => {
  const merchant = await fake.merchant();
  const payout = await merchant.sent();
  await payout.lookUp();
  const { exchanges } = await read(payout);
  const calls = exchanges.flatMap((exchange) => exchange.calls);
  expect(calls.map(({ method, path, status }) => [method, path.split('/')[1], status])).toEqual([
    ['POST', 'payments', 200],
    ['GET', 'payments', 200],
  ]);
  const [sent] = calls;
  expect(JSON.parse(sent?.request ?? '')).toMatchObject({ reference: payout.payoutId, amount: 1_200 });
  expect(JSON.parse(sent?.response ?? '')).toMatchObject({ reference: payout.payoutId, state: 'PENDING' });
  for (const secret of [`${merchant.client}-secret`, `${merchant.client}-token`, `${merchant.client}-hook`, 'Bearer', 'Basic'])
    expect(JSON.stringify(exchanges)).not.toContain(secret);
});

test('it is stored encrypted, and every reading is in the audit log of the merchant', async () => {
  const merchant = await fake.merchant();
  const payout = await merchant.sent();
  const stored = JSON.stringify(await rowsAbout(payout));
  for (const text of ['payments', 'reference', await addressOf(payout)]) expect(stored).not.toContain(text);
  await read(payout);
  await read(payout);
  const log = await rowsOf(api, `select actor, changes from audit_log where owner_id = ? and action = 'payout.evidence_read'`, [
    merchant.merchantId,
  ]);
  expect(log).toHaveLength(2);
  expect(log[0]).toMatchObject({ actor: 'system:operator' });
  await expect(readPayoutEvidence(ctx(), { id: merchant.merchantId })).rejects.toMatchObject({ code: 'NOT_FOUND' });
});

test('a look-up that only repeats the last one leaves nothing more', async () => {
  const payout = await (await fake.merchant()).sent('waiting');
  for (let look = 0; look < 4; look++) await payout.lookUp();
  expect(await rowsAbout(payout)).toHaveLength(2);
});

test('a secret of the account is replaced, wherever the provider repeats it', async () => {
  const merchant = await fake.merchant();
  fake.provider.refuse(merchant.client, `${merchant.client}-secret`);
  const payout = await merchant.sent();
  const text = JSON.stringify(await read(payout));
  expect(text).toContain('[secret]');
  expect(text).not.toContain(`${merchant.client}-secret`);
});

test('what a provider answers without an end is cut', async () => {
  const merchant = await fake.merchant();
  fake.provider.refuse(merchant.client, 'x'.repeat(20_000));
  const [{ calls } = { calls: [] }] = (await read(await merchant.sent())).exchanges;
  expect(calls[0]?.response?.length).toBeLessThan(9_000);
  expect(calls[0]?.response).toContain('characters)');
});

test('it ends with the payee, of whom nothing more is stored then, and after 400 days', async () => {
  const merchant = await fake.merchant();
  const [erased, old] = [await merchant.sent(), await merchant.sent()];
  for (const payout of [erased, old]) await payout.lookUp();
  await rowsOf(api, 'update affiliate_profile set erased_at = now() where id = ?', [erased.profileId]);
  await erasePayoutRecipients(ctx());
  expect(await rowsAbout(erased)).toEqual([]);
  const [row] = await rowsAbout(old);
  const aged = BigInt(Date.now() - 401 * DAY_MS)
    .toString(16)
    .padStart(12, '0');
  await rowsOf(api, `update payout_evidence set id = ?::uuid where id = ?`, [
    `${aged.slice(0, 8)}-${aged.slice(8)}-7${row.id.slice(15)}`,
    row.id,
  ]);
  const kept = (await rowsAbout(old)).length;
  expect(await deleteExpiredNotifications(ctx(), { limit: 100 })).toBe(1);
  expect(await rowsAbout(old)).toHaveLength(kept - 1);
});

test('it takes no statement of its own', async () => {
  const statementsOf = await recordStatements(api);
  const payout = await (await fake.merchant()).pay();
  const statements = await statementsOf(() => payout.send());
  const kept = statements.filter((text) => text.includes('payout_evidence'));
  expect(kept).toHaveLength(1);
  expect(kept[0]).toContain('insert into "payout_timeline"');
});
