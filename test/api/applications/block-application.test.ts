import { createAffiliate } from '../../../src/domains/applications/index.ts';
import { useTestApi } from '../../support/api.ts';
import { makeApplication } from '../../support/applications.ts';
import { decide, itRejects } from './support.ts';

const api = useTestApi();
const make = () => makeApplication(api);

it('blocks the applicant, and creates no affiliate', async () => {
  const own = await make();
  expect(await decide(api, own, 'block', { note: 'Third account' })).toMatchObject({
    status: 200,
    data: { id: own.applicationId, status: 'blocked', note: 'Third account', dueAt: null },
  });
  expect((await api.call('GET', `/affiliates/${own.affiliateId}`, { key: own.key })).status).toBe(404);
});

it('a block is lifted when the merchant adds the person: the application is approved under the allotted id', async () => {
  const { email, programId, ...own } = await make();
  await decide(api, own, 'block');
  const ctx = api.runtime.context({ kind: 'system', name: 'test' });
  const added = await createAffiliate(ctx, { programId, email, name: 'Ada', source: 'api' });
  expect(added.affiliateId).toBe(own.affiliateId);
  const { data } = await api.call('GET', `/applications/${own.applicationId}`, { key: own.key });
  expect(data.status).toBe('approved');
});

describe('rejections', () => itRejects(api, 'block', make));
