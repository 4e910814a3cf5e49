import { DAY_MS } from '../../../src/platform/clock.ts';
import { useTestApi } from '../../support/api.ts';
import { makeMerchant, saleEvent, signedHeaders } from '../../support/factories.ts';

const api = useTestApi();

const makeBareProgram = async (key: string): Promise<string> => {
  const body = { name: 'Acme', commissionType: 'one_time', commissionPercent: 10 };
  return (await api.call('POST', '/programs', { key, body })).data.id;
};

const issue = (key: string, programId: string) => api.call('POST', `/programs/${programId}/event-secret`, { key });

const statusOfEvent = async (programId: string, secret: string): Promise<number> => {
  const body = JSON.stringify(saleEvent({}));
  return (await api.raw('POST', `/api/integrations/events/${programId}`, { body, headers: signedHeaders(secret, body) })).status;
};

test('the first secret is shown only once and signs events', async () => {
  const { key } = await makeMerchant(api.runtime);
  const programId = await makeBareProgram(key);
  const issued = await issue(key, programId);
  expect(issued.status).toBe(201);
  expect(issued.data).toEqual({
    signingSecret: expect.stringMatching(/^whsec_[0-9A-Za-z]{43}=$/),
    secretLastFour: issued.data.signingSecret.slice(-4),
    previousExpiresAt: null,
  });
  expect(await statusOfEvent(programId, issued.data.signingSecret)).toBe(200);
});

test('issuing again rotates: the previous secret stays valid for 24 hours', async () => {
  const { key } = await makeMerchant(api.runtime);
  const programId = await makeBareProgram(key);
  const first = await issue(key, programId);
  const before = Date.now();
  const second = await issue(key, programId);
  const issuedAt = Date.parse(second.data.previousExpiresAt) - DAY_MS;
  expect([issuedAt >= before - 1_000, issuedAt <= Date.now()]).toEqual([true, true]);
  expect(second.data.signingSecret).not.toBe(first.data.signingSecret);
  expect(await statusOfEvent(programId, first.data.signingSecret)).toBe(200);
  expect(await statusOfEvent(programId, second.data.signingSecret)).toBe(200);
});

test('at most three secrets are valid: a fourth expires the oldest', async () => {
  const { key } = await makeMerchant(api.runtime);
  const programId = await makeBareProgram(key);
  const secrets: string[] = [];
  for (let n = 0; n < 4; n++) secrets.push((await issue(key, programId)).data.signingSecret);
  const statuses = await Promise.all(secrets.map((secret) => statusOfEvent(programId, secret)));
  expect(statuses).toEqual([401, 200, 200, 200]);
});

test('retrying with the same Idempotency-Key issues one secret and returns it again', async () => {
  const { key } = await makeMerchant(api.runtime);
  const programId = await makeBareProgram(key);
  const headers = { 'idempotency-key': 'once' };
  const first = await api.call('POST', `/programs/${programId}/event-secret`, { key, headers });
  const again = await api.call('POST', `/programs/${programId}/event-secret`, { key, headers });
  expect(again.text).toBe(first.text);
  expect((await issue(key, programId)).data.previousExpiresAt).not.toBeNull();
});
