import { useTestApi } from '../../support/api.ts';
import { makeMerchant, makeProgram } from '../../support/factories.ts';
import { makeFlag, raise } from '../../support/flags.ts';

const api = useTestApi({ RAIL_PAYPAL: 'manual' });

const stats = async (key: string, query: Record<string, string> = {}) =>
  (await api.call('GET', '/flags/stats', { key, query })).data;

test('flags are counted by status, of all programs or of one', async () => {
  const { resolve, ...own } = await makeFlag(api);
  await resolve('dismissed');
  await raise(api, own);
  const confirmed = await raise(api, own, { type: 'conversion_anomaly', conversionIds: [] });
  await api.call('POST', `/flags/${confirmed.flagId}/resolve`, { key: own.key, body: { status: 'confirmed' } });
  const expected = { open: 1, reviewed: 0, dismissed: 1, confirmed: 1, total: 3 };
  expect([await stats(own.key), await stats(own.key, { programId: own.programId })]).toEqual([expected, expected]);
  const { programId } = await makeProgram(api, own.key);
  const none = { open: 0, reviewed: 0, dismissed: 0, confirmed: 0, total: 0 };
  expect(await stats(own.key, { programId })).toEqual(none);
  const { key } = await makeMerchant(api.runtime);
  expect([await stats(key), await stats(key, { programId: own.programId })]).toEqual([none, none]);
});

test('400 for parameters that do not exist', async () => {
  const { key } = await makeMerchant(api.runtime);
  const wrong: Record<string, string>[] = [{ period: '7d' }, { programId: 'x' }];
  for (const query of wrong) {
    expect(await api.call('GET', '/flags/stats', { key, query })).toMatchObject({ status: 400 });
  }
});
