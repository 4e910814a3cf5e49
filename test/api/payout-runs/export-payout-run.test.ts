import { anyAddress, useTestApi } from '../../support/api.ts';
import { makePayees } from './support.ts';

const api = useTestApi();

it('returns a URL of a file with every item', async () => {
  const { key, draft, code, affiliateId } = await makePayees(api, 2);
  const run = (await draft()).data;
  const { data } = await api.call('GET', `/payout-runs/${run.id}/export`, { key, query: { format: 'csv' } });
  const { pathname, search } = new URL(data.url);
  const file = await api.app.inject({ method: 'GET', url: pathname + search, remoteAddress: anyAddress() });
  const [header, ...lines] = file.body.trimEnd().split('\r\n');
  expect(header).toBe(
    '\uFEFFrunId,affiliateId,code,email,program,planned,paid,currency,method,rail,destination,result,reason,payoutId',
  );
  expect(lines).toHaveLength(2);
  const line = lines.find((one) => one.includes(affiliateId))?.split(',');
  expect([line?.[0], line?.[2], line?.[5], line?.[6], line?.[7], line?.[11]]).toEqual([
    run.id,
    code,
    '20.00',
    '',
    'USD',
    'planned',
  ]);
  expect((await api.call('GET', `/payout-runs/${run.id}/export`, { key, query: { format: 'xml' } })).status).toBe(400);
});
