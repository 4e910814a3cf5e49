import { useTestApi } from '../../support/api.ts';
import { makeApplication } from '../../support/applications.ts';
import { decide, itRejects } from './support.ts';

const api = useTestApi();
const make = () => makeApplication(api);

it('declines with a note, and creates no affiliate', async () => {
  const own = await make();
  expect(await decide(api, own, 'decline', { note: 'No audience' })).toMatchObject({
    status: 200,
    data: { id: own.applicationId, status: 'declined', note: 'No audience', dueAt: null, decidedAt: expect.any(String) },
  });
  expect((await api.call('GET', `/affiliates/${own.affiliateId}`, { key: own.key })).status).toBe(404);
});

it('the note is optional', async () => {
  expect(await decide(api, await make(), 'decline')).toMatchObject({ status: 200, data: { status: 'declined', note: null } });
});

describe('rejections', () => itRejects(api, 'decline', make));
