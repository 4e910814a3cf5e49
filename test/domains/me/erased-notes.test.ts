import { createAffiliate } from '../../../src/domains/applications/index.ts';
import { erasePerson } from '../../../src/domains/me/index.ts';
import { runSql } from '../../../src/local/stack/sql.ts';
import { rows, sql } from '../../../src/platform/database/sql.ts';
import { useOwnApi } from '../../support/api.ts';
import { makeMerchant, makeProgram, saleEvent, sendEvent, sendSale, unique } from '../../support/factories.ts';
import { ownerUrlOf } from '../../support/many-commissions.ts';
import { makePayout } from '../../support/payouts.ts';

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

test('a name and an address leave notes about others, where the merchant knows the person; the address leaves all', async () => {
  const mark = unique();
  const [email, name] = [`grace.${mark}@example.com`, `Grace ${mark} Hopper`];
  const [knows, other] = [await makePayout(api), await makePayout(api)];
  await createAffiliate(system(), { programId: knows.programId, email, name, source: 'api' });
  const note = `Asked ${name} (${email.toUpperCase()})`;
  for (const { affiliateId, key, payoutId } of [knows, other]) {
    await api.call('POST', `/affiliates/${affiliateId}/adjustments`, { key, body: { kind: 'bonus', amount: 100, note } });
    expect((await api.call('POST', '/flags', { key, body: { affiliateId, note } })).status).toBeLessThan(300);
    // As if people had written it there.
    await runSql(
      ownerUrlOf(api),
      `update payout_timeline set note = '${note}' where payout_id = '${payoutId}'`,
      `update payout set notes = '${note}' where id = '${payoutId}'`,
    );
  }
  const notesOf = async ({ affiliateId, payoutId }: { affiliateId: string; payoutId: string }) =>
    (
      await rows(
        system().em,
        sql<{ note: string }>`select distinct note from (select note from flag where affiliate_id = ${affiliateId}::uuid
          union all select notes from payout where id = ${payoutId}::uuid
          union all select note from payout_timeline where payout_id = ${payoutId}::uuid
          union all select note from commission_adjustment where affiliate_id = ${affiliateId}::uuid and note is not null) of_others`,
      )
    ).map((row) => row.note);
  expect((await erasePerson(system(), { email })).erased.notes).toBeGreaterThanOrEqual(8);
  expect(await notesOf(knows)).toEqual(['Asked [erased] ([erased])']);
  expect(await notesOf(other)).toEqual([`Asked ${name} ([erased])`]);
  expect((await erasePerson(system(), { email })).erased.notes).toBe(0);
});
