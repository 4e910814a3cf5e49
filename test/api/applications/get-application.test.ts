import { DAY_MS } from '../../../src/platform/clock.ts';
import { useTestApi } from '../../support/api.ts';
import { makeApplication } from '../../support/applications.ts';
import { MISSING } from './support.ts';

const api = useTestApi();

it('tells who applied, what to look at, and until when it waits', async () => {
  const own = await makeApplication(api, { message: 'I write about gardening', source: 'browser' });
  const { status, data } = await api.call('GET', `/applications/${own.applicationId}`, { key: own.key });
  expect([status, data]).toEqual([
    200,
    {
      id: own.applicationId,
      affiliateId: own.affiliateId,
      programId: own.programId,
      userId: expect.any(String),
      name: 'Ada Byron',
      email: own.email,
      status: 'pending',
      source: 'browser',
      message: 'I write about gardening',
      note: null,
      answers: [],
      acceptedTerms: null,
      riskNotes: [],
      createdAt: expect.any(String),
      dueAt: new Date(Date.parse(data.createdAt) + 30 * DAY_MS).toISOString(),
      decidedAt: null,
      situation: { state: 'to_decide', reason: null, waitsFor: 'reviewer', until: data.dueAt, next: 'decide' },
    },
  ]);
});

it('404 for a missing application, 403 for that of another merchant, 400 for a malformed id', async () => {
  const [own, other] = [await makeApplication(api), await makeApplication(api)];
  const statusOf = async (id: string) => (await api.call('GET', `/applications/${id}`, { key: own.key })).status;
  expect([await statusOf(MISSING), await statusOf(other.applicationId), await statusOf('x')]).toEqual([404, 403, 400]);
});
