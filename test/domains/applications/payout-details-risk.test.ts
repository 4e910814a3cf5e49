import { createAffiliate } from '../../../src/domains/applications/index.ts';
import { useTestApi } from '../../support/api.ts';
import { apply } from '../../support/applications.ts';
import { makeMerchant, makeProgram, unique } from '../../support/factories.ts';

const api = useTestApi();
const ctx = () => api.runtime.context({ kind: 'system', name: 'test' });

/** A person with payout details, in a program of another merchant. */
const makePaid = async (payout: object) => {
  const { programId } = await makeProgram(api, (await makeMerchant(api.runtime)).key);
  return createAffiliate(ctx(), { programId, email: `a-${unique()}@example.com`, name: 'Ada', source: 'api', payout });
};

const notesOf = async ({ profileId }: { profileId: string }) => {
  const { programId } = await makeProgram(api, (await makeMerchant(api.runtime)).key);
  return (await apply(ctx(), programId, { profileId })).riskNotes;
};

test('the same PayPal account in any case, or the same IBAN in any spelling, as another person is noted', async () => {
  const address = `pay-${unique()}@example.com`;
  const paypal = [await makePaid({ paypalEmail: address }), await makePaid({ paypalEmail: address.toUpperCase() })];
  for (const person of paypal) expect(await notesOf(person)).toEqual(['duplicate_payout_details']);
  const bank = [
    await makePaid({ bankIban: 'GB29 NWBK 6016 1331 9268 19', bankAccountHolder: 'Ada Byron' }),
    await makePaid({ bankIban: 'gb29nwbk60161331926819', bankAccountHolder: 'Someone Else' }),
  ];
  for (const person of bank) expect(await notesOf(person)).toEqual(['duplicate_payout_details']);
});

test("one's own details, other details and no details are not", async () => {
  const alone = await makePaid({ paypalEmail: `pay-${unique()}@example.com` });
  await makePaid({ paypalEmail: `pay-${unique()}@example.com` });
  expect(await notesOf(alone)).toEqual([]);
  expect(await notesOf(await makePaid({}))).toEqual([]);
});
