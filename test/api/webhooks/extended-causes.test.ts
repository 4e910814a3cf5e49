import type { EventType } from '../../../src/contracts/events.ts';
import { expireApplication, withdrawAllApplications } from '../../../src/domains/applications/index.ts';
import { withdrawApplication } from '../../../src/domains/applications/use-cases/application.ts';
import { approveDueConversions } from '../../../src/domains/conversions/index.ts';
import { recordDispute } from '../../../src/domains/conversions/use-cases/record-dispute.ts';
import { DAY_MS } from '../../../src/platform/clock.ts';
import { inTransaction } from '../../../src/platform/context.ts';
import { useOwnApi } from '../../support/api.ts';
import { apply, makeApplication, makePerson } from '../../support/applications.ts';
import { makePayable, saleEvent, sendEvent, sendIdentification, sendSale } from '../../support/factories.ts';
import { makeFlag, raise } from '../../support/flags.ts';
import { rowsOf } from '../../support/rail-payouts.ts';

const api = useOwnApi();
const context = () => api.runtime.context({ kind: 'system', name: 'test' });
const inDays = (days: number) => ({ ...context(), clock: { now: () => new Date(Date.now() + days * DAY_MS) } });

/** The envelopes of a merchant's events of a type, the oldest first. */
const eventsOf = async (merchantId: string, type: EventType) =>
  (
    await rowsOf(
      api,
      `select convert_from(body, 'UTF8')::jsonb as body from webhook_event where merchant_id = ? and type = ? and extended order by id`,
      [merchantId, type],
    )
  ).map(({ body }) => body);

const conversionOf = async (key: string, id: string) => {
  const { data } = await api.call('GET', `/conversions`, { key });
  const { hold, ...facts } = data.find((conversion: { id: string }) => conversion.id === id);
  return { hold, facts: { ...facts, commissionAmount: facts.commission } };
};

describe('conversions', () => {
  it('IN11: an approval is emitted once, as the API returns the conversion, after conversion.created', async () => {
    const { merchantId, key, affiliateId, conversionId } = await makePayable(api, { program: { commissionHoldDays: 5 } });
    await inTransaction(context(), (ctx) => approveDueConversions(ctx, affiliateId));
    expect(await eventsOf(merchantId, 'conversion.approved')).toEqual([]);
    for (let times = 0; times < 2; times++) await inTransaction(inDays(6), (ctx) => approveDueConversions(ctx, affiliateId));
    const { facts } = await conversionOf(key, conversionId);
    expect(facts.status).toBe('approved');
    expect(await eventsOf(merchantId, 'conversion.approved')).toMatchObject([
      { sequence: 2, subjectId: conversionId, data: facts },
    ]);
  });

  it('IN11: many approvals of a transaction are each emitted, to the endpoints that ask for them', async () => {
    const own = await makePayable(api, { program: { commissionHoldDays: 5 } });
    const { merchantId, key, affiliateId, programId } = own;
    await Promise.all([1, 2, 3].map(() => sendSale(api, own.program, { referralCode: own.code })));
    const endpoint = (more: object) =>
      api.call('POST', '/webhooks', {
        key,
        body: { name: 'Books', url: 'https://1.1.1.1/hook', subscribedEvents: ['flag.resolved'], ...more },
      });
    const made = [await endpoint({}), await endpoint({ programId }), await endpoint({})].map(({ data }) => data.endpoint.id);
    const [all, ofProgram, without] = made;
    for (const id of [all, ofProgram]) {
      await api.call('PATCH', `/webhooks/${id}/settings`, { key, body: { extendedEvents: ['conversion.approved'] } });
    }
    await inTransaction(inDays(6), (ctx) => approveDueConversions(ctx, affiliateId));
    const events = await eventsOf(merchantId, 'conversion.approved');
    expect(events.map(({ sequence }) => sequence)).toEqual([2, 2, 2, 2]);
    expect(new Set(events.map(({ subjectId }) => subjectId)).size).toBe(4);
    const received = async (id: string) =>
      (await api.call('GET', `/webhooks/${id}/deliveries`, { key })).data
        .map(({ eventId }: { eventId: string }) => eventId)
        .sort();
    expect(await received(all)).toEqual(events.map(({ id }) => id).sort());
    expect(await received(ofProgram)).toEqual(await received(all));
    expect(await received(without)).toEqual([]);
  });

  it('IN11: a flag is emitted when it is opened, and each conversion that it begins to hold', async () => {
    const own = await makeFlag(api);
    const { merchantId, key, flagId, conversionId } = own;
    const { situation: _, ...flag } = await own.readFlag();
    expect(await eventsOf(merchantId, 'flag.created')).toMatchObject([{ sequence: 1, subjectId: flagId, data: flag }]);
    const { hold, facts } = await conversionOf(key, conversionId);
    expect((await eventsOf(merchantId, 'conversion.held')).map(({ data }) => data)).toEqual([{ ...facts, hold }]);
    const second = (await sendSale(api, own.program, { referralCode: own.code })).data.conversionId;
    await raise(api, own, { conversionIds: [conversionId, second] });
    expect((await eventsOf(merchantId, 'conversion.held')).map(({ subjectId }) => subjectId)).toEqual([conversionId, second]);
    expect(await eventsOf(merchantId, 'flag.created')).toHaveLength(1);
  });

  it('IN11: a conversion without a commission to hold is not told as held', async () => {
    const own = await makePayable(api);
    await raise(api, own);
    await rowsOf(api, `update conversion set status = 'rejected' where id = ?`, [own.conversionId]);
    await raise(api, own, { type: 'manual_review' });
    expect((await eventsOf(own.merchantId, 'conversion.held')).map(({ data }) => data.hold.reason)).toEqual(['self_referral']);
    expect(await eventsOf(own.merchantId, 'flag.created')).toHaveLength(2);
  });

  it('IN11: a dispute holds a conversion, also one that came before its sale', async () => {
    const own = await makePayable(api);
    const dispute = (externalId: string, status: 'opened' | 'closed') =>
      recordDispute(context(), {
        sale: { programId: own.programId, provider: 'events', externalId },
        disputeId: `dp_${externalId}`,
        status,
        disputedGross: 11_900,
        chargedGross: 11_900,
        occurredAt: new Date(),
      });
    for (const status of ['opened', 'opened'] as const) await dispute(own.saleId, status);
    const { hold, facts } = await conversionOf(own.key, own.conversionId);
    expect((await eventsOf(own.merchantId, 'conversion.held')).map(({ data }) => data)).toEqual([{ ...facts, hold }]);
    await dispute(`${own.saleId}-2`, 'opened');
    const late = await sendSale(api, own.program, { saleId: `${own.saleId}-2`, referralCode: own.code });
    const held = await eventsOf(own.merchantId, 'conversion.held');
    expect(held.map(({ subjectId, data }) => [subjectId, data.hold.kind])).toEqual([
      [own.conversionId, 'dispute'],
      [late.data.conversionId, 'dispute'],
    ]);
  });

  it('IN11: a sale that is credited to nobody is emitted once, without personal data', async () => {
    const own = await makePayable(api);
    const sale = saleEvent({ customer: { id: 'c-1', email: 'buyer@example.org' } });
    for (let times = 0; times < 2; times++) await sendEvent(api, own.program, sale);
    const { data } = await api.call('GET', '/sales', { key: own.key, query: { attributed: 'false' } });
    expect(data).toMatchObject([{ reason: 'NO_MATCH', customerId: 'c-1' }]);
    const events = await eventsOf(own.merchantId, 'sale.unattributed');
    expect(events).toMatchObject([{ sequence: 1, subjectId: data[0].id, data: data[0] }]);
    expect(JSON.stringify(events)).not.toContain('buyer@');
  });
});

it('IN3: a sign-up is emitted once, as the API returns the customer, and not without an affiliate', async () => {
  const own = await makePayable(api);
  const signUp = { customer: { id: 'c-lead', email: 'lead@example.com' }, referralCode: own.code };
  for (let times = 0; times < 2; times++) await sendIdentification(api, own.program, signUp);
  await sendIdentification(api, own.program, { customer: { id: 'c-nobody' } });
  const { data } = await api.call('GET', '/customers', { key: own.key, query: { status: 'lead' } });
  expect(data).toMatchObject([{ customerId: 'c-lead', affiliateId: own.affiliateId }]);
  const events = await eventsOf(own.merchantId, 'customer.identified');
  expect(events).toMatchObject([{ sequence: 1, subjectId: data[0].id, data: data[0] }]);
  expect(JSON.stringify(events)).not.toContain('lead@');
});

describe('applications', () => {
  const typesOf = async (merchantId: string) =>
    (
      await rowsOf(
        api,
        `select type, convert_from(body, 'UTF8')::jsonb #>> '{data,status}' as status from webhook_event
          where merchant_id = ? and type like 'application.%' order by id`,
        [merchantId],
      )
    ).map(({ type, status }) => `${type} ${status}`);

  it.each([
    ['approve', 'approved'],
    ['decline', 'declined'],
    ['block', 'blocked'],
  ])('IN11: submitted, then decided by %s', async (verb, status) => {
    const { merchantId, key, applicationId } = await makeApplication(api);
    expect(await typesOf(merchantId)).toEqual(['application.submitted pending']);
    expect((await api.call('POST', `/applications/${applicationId}/${verb}`, { key, body: { note: 'Fits' } })).status).toBe(200);
    await api.call('POST', `/applications/${applicationId}/${verb}`, { key, body: { note: 'Fits' } });
    expect(await typesOf(merchantId)).toEqual(['application.submitted pending', `application.decided ${status}`]);
    const [decided] = await eventsOf(merchantId, 'application.decided');
    const { data } = await api.call('GET', '/applications', { key });
    const { situation: _, ...application } = data[0];
    expect(decided).toMatchObject({ sequence: 2, subjectId: applicationId, data: application });
  });

  it('IN11: an application that is approved by itself is decided in the same transaction', async () => {
    const { merchantId } = await makeApplication(api, { program: { autoApproveAffiliates: true } });
    expect(await typesOf(merchantId)).toEqual(['application.submitted pending', 'application.decided approved']);
  });

  it('IN11: a withdrawal, an erasure and a deadline decide, too', async () => {
    const { merchantId, programId, applicationId } = await makeApplication(api);
    await withdrawApplication(context(), { id: applicationId });
    const other = await apply(context(), programId, { ...(await makePerson(api.runtime)) });
    await expireApplication(inDays(31), { applicationId: other.applicationId });
    const person = await makePerson(api.runtime);
    await apply(context(), programId, { ...person });
    await inTransaction(context(), (ctx) => withdrawAllApplications(ctx, { profileId: person.profileId }));
    expect((await typesOf(merchantId)).filter((line) => line.startsWith('application.decided'))).toEqual([
      'application.decided withdrawn',
      'application.decided declined',
      'application.decided withdrawn',
    ]);
  });
});
