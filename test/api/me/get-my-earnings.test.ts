import { useTestApi } from '../../support/api.ts';
import { makePerson, sell } from './support.ts';

const api = useTestApi();

test('the balances of all programs are summed by currency, that of the most recent sale first', async () => {
  const person = makePerson(api);
  const first = await person.join();
  const second = await person.join({ commissionHoldDays: 7 });
  const euro = await person.join({ currency: 'eur' });
  await sell(api, euro, { currency: 'eur' });
  await sell(api, first);
  await sell(api, second, { amount: 5_000 });
  const { data } = await (await person.call(first.profileId))('/me/earnings');
  const held = { dispute: 0, flag: 0 };
  const usd = { total: 3_000, pending: 1_000, available: 2_000, inPayout: 0, paid: 0, held };
  const eur = { total: 2_000, pending: 0, available: 2_000, inPayout: 0, paid: 0, held };
  expect(data).toEqual({
    ...usd,
    currency: 'usd',
    byCurrency: [
      { currency: 'usd', ...usd },
      { currency: 'eur', ...eur },
    ],
  });
});

test('adjustments count, as the ledger books them', async () => {
  const person = makePerson(api);
  const own = await person.join();
  const adjust = (body: object) => api.call('POST', `/affiliates/${own.affiliateId}/adjustments`, { key: own.key, body });
  await adjust({ kind: 'bonus', amount: 900, note: 'For the launch' });
  await adjust({ kind: 'clawback', amount: -1_000, note: 'Paid twice' });
  const { data } = await (await person.call(own.profileId))('/me/earnings');
  expect(data).toMatchObject({ total: -100, available: -100, currency: 'usd' });
});
