import { rows, sql } from '../../../src/platform/database/sql.ts';
import { useTestApi } from '../../support/api.ts';
import { makeApplication } from '../../support/applications.ts';
import { makeAffiliateKey, sendSale, unique } from '../../support/factories.ts';
import { decide, itRejects } from './support.ts';

const api = useTestApi();
const make = () => makeApplication(api);

const eventsOf = async (merchantId: string) =>
  (
    await rows(
      api.runtime.context({ kind: 'system', name: 'test' }).em,
      sql<{ body: string }>`select convert_from(body, 'UTF8') as body from webhook_event
        where merchant_id = ${merchantId}::uuid and type = 'affiliate.approved'`,
    )
  ).map(({ body }) => JSON.parse(body).data);

it('makes the applicant an affiliate under the allotted id, with a code and a first link, and emits affiliate.approved once', async () => {
  const own = await make();
  const approved = await decide(api, own, 'approve', { note: 'Welcome' });
  expect(approved).toMatchObject({
    status: 200,
    data: { id: own.applicationId, affiliateId: own.affiliateId, status: 'approved', note: 'Welcome', dueAt: null },
  });
  expect(Date.parse(approved.data.decidedAt)).toBeGreaterThanOrEqual(Date.parse(approved.data.createdAt));
  const affiliate = await api.call('GET', `/affiliates/${own.affiliateId}`, { key: own.key });
  expect(affiliate.data).toMatchObject({ id: own.affiliateId, email: own.email, status: 'approved', source: 'api' });
  // Details of the payee are told to those who ask for one affiliate.
  const { payoutDetails: _, ...listed } = affiliate.data;
  expect(await eventsOf(own.merchantId)).toEqual([listed]);
  const links = await api.call('GET', '/me/links', { key: await makeAffiliateKey(api.runtime, own.profileId) });
  expect(links.data).toMatchObject([{ affiliateId: own.affiliateId, isActive: true }]);
});

it('sales of the approved affiliate are credited from then on', async () => {
  const requestedCode = `code-${unique()}`;
  const own = await makeApplication(api, { requestedCode });
  const secret = await api.call('POST', `/programs/${own.programId}/event-secret`, { key: own.key });
  const program = { programId: own.programId, eventSecret: secret.data.signingSecret };
  const sell = async () => (await sendSale(api, program, { referralCode: requestedCode })).data.outcome;
  expect(await sell()).toBe('unattributed');
  await decide(api, own, 'approve');
  expect(await sell()).toBe('recorded');
});

it('a retry with the same Idempotency-Key returns the same response and approves once', async () => {
  const own = await make();
  const send = () =>
    api.call('POST', `/applications/${own.applicationId}/approve`, {
      key: own.key,
      headers: { 'idempotency-key': own.affiliateId },
    });
  const first = await send();
  expect((await send()).text).toBe(first.text);
  expect(await eventsOf(own.merchantId)).toHaveLength(1);
});

it('409 PROGRAM_INACTIVE when the program was archived meanwhile: nobody joins, and the application can still be declined', async () => {
  const own = await make();
  const archived = await api.call('DELETE', `/programs/${own.programId}`, { key: own.key });
  expect(archived.status).toBe(200);
  expect(await decide(api, own, 'approve')).toMatchObject({
    status: 409,
    error: { code: 'CONFLICT', details: { reason: 'PROGRAM_INACTIVE', status: 'archived' } },
  });
  expect((await api.call('GET', `/affiliates/${own.affiliateId}`, { key: own.key })).status).toBe(404);
  expect(await eventsOf(own.merchantId)).toEqual([]);
  expect(await decide(api, own, 'decline')).toMatchObject({ status: 200, data: { status: 'declined' } });
});

it('an application to a paused program is approved', async () => {
  const own = await make();
  await api.call('PATCH', `/programs/${own.programId}`, { key: own.key, body: { status: 'paused' } });
  expect(await decide(api, own, 'approve')).toMatchObject({ status: 200, data: { status: 'approved' } });
});

describe('rejections', () => itRejects(api, 'approve', make));
