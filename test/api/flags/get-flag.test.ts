import { randomUUID } from 'node:crypto';
import { useTestApi } from '../../support/api.ts';
import { makeMerchant, sendSale } from '../../support/factories.ts';
import { makeFlag, raise } from '../../support/flags.ts';

const api = useTestApi();

test('IN1: a flag tells its evidence and its conversions, page by page', async () => {
  const own = await makeFlag(api, { details: { sameEmail: true } });
  const second = await sendSale(api, own.program, { referralCode: own.code });
  const third = await sendSale(api, own.program, { referralCode: own.code });
  const more = [second.data.conversionId, third.data.conversionId];
  await raise(api, own, { conversionIds: more });
  const read = (query: Record<string, string> = {}) => api.call('GET', `/flags/${own.flagId}`, { key: own.key, query });

  const whole = await read();
  expect(whole.status).toBe(200);
  expect(whole.data).toMatchObject({ id: own.flagId, type: 'self_referral', conversionCount: 3, nextConversionId: null });
  expect(whole.data.details.evidence[0]).toMatchObject({ sameEmail: true });
  expect(whole.data.conversionIds).toEqual([...more.toReversed(), own.conversionId]);

  const first = await read({ limit: '2' });
  expect(first.data).toMatchObject({ conversionIds: more.toReversed(), nextConversionId: second.data.conversionId });
  const last = await read({ limit: '2', after: first.data.nextConversionId });
  expect(last.data).toMatchObject({ conversionIds: [own.conversionId], nextConversionId: null });
});

test('404 for a missing flag, 403 for one of another merchant, 400 for a bad page', async () => {
  const { key, flagId } = await makeFlag(api);
  const other = await makeMerchant(api.runtime);
  expect((await api.call('GET', `/flags/${randomUUID()}`, { key })).status).toBe(404);
  expect((await api.call('GET', `/flags/${flagId}`, { key: other.key })).status).toBe(403);
  for (const query of [{ limit: '101' }, { limit: '0' }, { after: 'x' }, { page: '1' }] as Record<string, string>[]) {
    expect((await api.call('GET', `/flags/${flagId}`, { key, query })).status).toBe(400);
  }
});
