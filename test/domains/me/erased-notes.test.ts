import { createAffiliate } from '../../../src/domains/applications/index.ts';
import { erasePerson } from '../../../src/domains/me/index.ts';
import { rows, sql } from '../../../src/platform/database/sql.ts';
import { useOwnApi } from '../../support/api.ts';
import { makeMerchant, makeProgram, saleEvent, sendEvent, sendSale, unique } from '../../support/factories.ts';

const api = useOwnApi();

const system = () => api.runtime.context({ kind: 'system', name: 'test' });

test('SE11: nothing that a merchant said of a customer stays with their sales, and notes lose every part of a name', async () => {
  const mark = unique();
  const email = `grace.${mark}@example.com`;
  const { key } = await makeMerchant(api.runtime);
  const program = await makeProgram(api, key);
  const { programId } = program;
  const person = {
    programId,
    email,
    name: `Grace ${mark} Hopper`,
    source: 'api' as const,
    payout: { paypalEmail: 'ok@example.com' },
  };
  const { affiliateId, code: referralCode } = await createAffiliate(system(), person);
  await sendSale(api, program, { referralCode });
  expect((await api.call('POST', '/payouts', { key, body: { affiliateId, programId } })).status).toBe(201);
  const adjustment = { kind: 'bonus', amount: 100, note: 'For Hopper' };
  await api.call('POST', `/affiliates/${affiliateId}/adjustments`, { key, body: adjustment });
  const metadata = { buyer: 'The lady from Arlington', phone: '+1 555 0100' };
  const customer = { id: `cus_${mark}`, email };
  await sendEvent(api, program, saleEvent({ saleId: `own-${mark}`, customer, metadata }));
  await sendEvent(api, program, saleEvent({ saleId: `other-${mark}`, metadata: { ...metadata, note: `sent by ${email}` } }));
  const flag = { affiliateId, note: `Ask Hopper, or ${mark}` };
  expect((await api.call('POST', '/flags', { key, body: flag })).status).toBeLessThan(300);
  await rows(
    system().em,
    sql`update payout set notes = ${`Hopper was here, ${mark} too`}, bank_reference = 'INV 7 HOPPER' where program_id = ${programId}::uuid returning id`,
  );
  const { kept } = await erasePerson(system(), { email });
  const sales = await rows(
    system().em,
    sql<{ external_id: string; metadata: object | null; customer_id: string }>`
      select external_id, metadata, customer_id from sale where external_id in (${`own-${mark}`}, ${`other-${mark}`}) order by external_id desc`,
  );
  expect(sales).toMatchObject([
    { metadata: null, customer_id: `cus_${mark}` },
    { metadata: { ...metadata, note: 'sent by [erased]' } },
  ]);
  const notes = await rows(
    system().em,
    sql<{ note: string | null }>`select note from flag where affiliate_id = ${affiliateId}::uuid
      union all select notes || bank_reference from payout where affiliate_id = ${affiliateId}::uuid
      union all select note from commission_adjustment where affiliate_id = ${affiliateId}::uuid`,
  );
  expect(JSON.stringify(notes)).not.toMatch(/hopper/i);
  expect(kept.map(({ what }) => what)).toEqual(
    expect.arrayContaining([expect.stringContaining('customer ids'), expect.stringContaining('notes of merchants')]),
  );
});
