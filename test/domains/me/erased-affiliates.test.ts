import { eraseProfile } from '../../../src/domains/me/erase-profile.steps.ts';
import { erasePerson } from '../../../src/domains/me/index.ts';
import { inTransaction } from '../../../src/platform/context.ts';
import { firstRow, rows, sql } from '../../../src/platform/database/sql.ts';
import { useOwnApi } from '../../support/api.ts';
import { makePayable, sendSale, unique } from '../../support/factories.ts';
import { untilSomebodyWaits } from '../../support/lock-waits.ts';

const api = useOwnApi();
const system = () => api.runtime.context({ kind: 'system', name: 'test' });

const emailOf = async (affiliateId: string): Promise<string> => {
  const found = await firstRow(
    system().em,
    sql<{
      email: string;
    }>`select f.email from affiliate a join affiliate_profile f on f.id = a.profile_id where a.id = ${affiliateId}::uuid`,
  );
  return found?.email ?? '';
};

const reasonsOf = async (programId: string) =>
  (
    await rows(
      system().em,
      sql<{ reason: string | null }>`select reason from sale where program_id = ${programId}::uuid order by created_at, id`,
    )
  ).map(({ reason }) => reason);

describe('MO4: an erased affiliate', () => {
  it('an erased affiliate is credited with no later sale, by code, history or hand', async () => {
    const customer = { id: `c-${unique()}`, email: `buyer-${unique()}@example.org` };
    const { program, programId, affiliateId, code, key } = await makePayable(api);
    await sendSale(api, program, { referralCode: code, customer, subscriptionId: 'sub-1' });
    await erasePerson(system(), { email: await emailOf(affiliateId) });
    for (const facts of [{ referralCode: code }, { customer, subscriptionId: 'sub-1' }])
      expect((await sendSale(api, program, facts)).data).toEqual({
        outcome: 'unattributed',
        conversionId: null,
        reason: 'AFFILIATE_ERASED',
      });
    expect(await reasonsOf(programId)).toEqual([null, null, 'AFFILIATE_ERASED', 'AFFILIATE_ERASED']);
    const [sale] = (await api.call('GET', '/sales', { key, query: { attributed: 'false' } })).data;
    expect(sale.reason).toBe('AFFILIATE_ERASED');
    const byHand = await api.call('POST', `/sales/${sale.id}/attribute`, { key, body: { affiliateId, note: 'Theirs' } });
    expect(byHand).toMatchObject({ status: 409, error: { details: { reason: 'AFFILIATE_ERASED' } } });
  });

  it('stays without attribution when a block is lifted', async () => {
    const { program, programId, affiliateId, code, key } = await makePayable(api);
    await api.call('POST', `/affiliates/${affiliateId}/block`, { key });
    await erasePerson(system(), { email: await emailOf(affiliateId) });
    expect((await api.call('POST', `/affiliates/${affiliateId}/unblock`, { key })).status).toBe(200);
    await sendSale(api, program, { referralCode: code });
    expect(await reasonsOf(programId)).toEqual([null, 'AFFILIATE_ERASED']);
  });

  it('an erased affiliate is not credited with a sale that waits for the erasure', async () => {
    const { program, programId, affiliateId, code } = await makePayable(api);
    const email = await emailOf(affiliateId);
    let sale: Promise<unknown> | undefined;
    await inTransaction(system(), async (ctx) => {
      await eraseProfile(ctx, email);
      sale = sendSale(api, program, { referralCode: code });
      await untilSomebodyWaits(api);
    });
    await sale;
    expect(await reasonsOf(programId)).toEqual([null, 'AFFILIATE_ERASED']);
  });

  it('an erased affiliate is owed what the report names', async () => {
    const { programId, merchantId, affiliateId, program, code, key } = await makePayable(api);
    await api.call('PATCH', `/programs/${programId}`, { key, body: { commissionHoldDays: 30 } });
    await sendSale(api, program, { referralCode: code, amount: 5_000 });
    const report = await erasePerson(system(), { email: await emailOf(affiliateId) });
    expect(report.owed).toEqual([
      { merchantId, programId, affiliateId, currency: 'usd', pending: 1_000, payable: 2_000, inPayout: 0 },
    ]);
    expect((await erasePerson(system(), { email: `nobody-${unique()}@example.org` })).owed).toEqual([]);
  });
});
