import { createHash } from 'node:crypto';
import { anyAddress, useTestApi } from '../../support/api.ts';
import { makeKey, makeMerchant } from '../../support/factories.ts';
import { makeBankPayouts } from './support.ts';

const api = useTestApi();

test('each download has the same bytes, is counted, and is on the timelines', async () => {
  const { make, call, payoutIds, timeline } = await makeBankPayouts(api, ['Zoë Müller']);
  const { id, digest } = (await make()).data.files[0];
  const first = (await call('GET', `/bank-files/${id}/content`)).data;
  const second = (await call('GET', `/bank-files/${id}/content`)).data;
  expect(second.content).toBe(first.content);
  expect(first.content).toContain('<Nm>Zoe Mueller</Nm>');
  expect(createHash('sha256').update(first.content).digest('hex')).toBe(digest);
  expect((await call('GET', `/bank-files/${id}`)).data.downloads).toBe(2);
  expect((await timeline(payoutIds[0] ?? '')).filter((type) => type === 'file_downloaded')).toHaveLength(2);
  const { pathname, search } = new URL(first.url);
  const served = await api.app.inject({ method: 'GET', url: pathname + search, remoteAddress: anyAddress() });
  expect([served.statusCode, served.headers['content-type'], served.body]).toEqual([
    200,
    'application/xml; charset=utf-8',
    first.content,
  ]);
});

test('a reader and another merchant get nothing', async () => {
  const { make, call, merchantId } = await makeBankPayouts(api, ['Ada A']);
  const { id } = (await make()).data.files[0];
  const reader = await makeKey(api.runtime, { ownerId: merchantId, scopes: ['payouts:read'] });
  expect((await call('GET', `/bank-files/${id}/content`, undefined, reader.key)).error.code).toBe('INSUFFICIENT_SCOPE');
  expect((await call('GET', `/bank-files/${id}/content`, undefined, (await makeMerchant(api.runtime)).key)).status).toBe(403);
});
