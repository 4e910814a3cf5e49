import type { TestApi, TestResponse } from '../../support/api.ts';
import type { TestApplication } from '../../support/applications.ts';

export const MISSING = '0198f1c2-7a4e-7c31-9f0a-000000000000';

export const DECISIONS = ['approve', 'decline', 'block'] as const;
export type Decision = (typeof DECISIONS)[number];

export const decide = (
  api: TestApi,
  { applicationId, key }: Pick<TestApplication, 'applicationId' | 'key'>,
  decision: Decision,
  body?: unknown,
): Promise<TestResponse> => api.call('POST', `/applications/${applicationId}/${decision}`, { key, body });

/** Whose decision it is does not matter here: rejections that the three decisions share. */
export const itRejects = (api: TestApi, decision: Decision, make: () => Promise<TestApplication>): void => {
  it('404 for a missing application, 403 for that of another merchant', async () => {
    const [own, other] = [await make(), await make()];
    expect(await decide(api, { ...own, applicationId: MISSING }, decision)).toMatchObject({
      status: 404,
      error: { code: 'NOT_FOUND' },
    });
    expect(await decide(api, { ...own, applicationId: other.applicationId }, decision)).toMatchObject({
      status: 403,
      error: { code: 'FORBIDDEN' },
    });
    const { data } = await api.call('GET', `/applications/${other.applicationId}`, { key: other.key });
    expect(data.status).toBe('pending');
  });

  it.each<[string, unknown]>([
    ['note', { note: 'x'.repeat(1_001) }],
    ['note', { note: 5 }],
    ['status', { status: 'approved' }],
  ])('422 for a wrong %s, which decides nothing: %j', async (path, body) => {
    const own = await make();
    expect(await decide(api, own, decision, body)).toMatchObject({
      status: 422,
      error: { code: 'VALIDATION_ERROR', details: { issues: [expect.objectContaining({ path })] } },
    });
    const { data } = await api.call('GET', `/applications/${own.applicationId}`, { key: own.key });
    expect(data.status).toBe('pending');
  });

  it.each(DECISIONS)('409 ALREADY_DECIDED after %s', async (first) => {
    const own = await make();
    const decided = await decide(api, own, first);
    expect(await decide(api, own, decision, { note: 'Later' })).toMatchObject({
      status: 409,
      error: { code: 'CONFLICT', details: { reason: 'ALREADY_DECIDED', status: decided.data.status } },
    });
    const { data } = await api.call('GET', `/applications/${own.applicationId}`, { key: own.key });
    expect(data).toMatchObject(decided.data);
  });
};
