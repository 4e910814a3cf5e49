import { DAY_MS } from '../../../src/platform/clock.ts';
import { forkOf } from '../../../src/platform/database/orm.ts';
import { execute, firstRow, rows, sql } from '../../../src/platform/database/sql.ts';
import { useTestApi } from '../../support/api.ts';
import { apply, makeApplication, makePerson } from '../../support/applications.ts';
import { makeAffiliateKey, makeMerchant, makeProgram, unique } from '../../support/factories.ts';

const api = useTestApi();
const system = { kind: 'system', name: 'test' } as const;
const ctx = () => api.runtime.context(system);

const eventsOf = async (merchantId: string) =>
  (
    await rows(
      forkOf(api.runtime.orm),
      sql<{ body: string }>`select convert_from(body, 'UTF8') as body from webhook_event
        where merchant_id = ${merchantId}::uuid and type like 'affiliate.%' order by id`,
    )
  ).map(({ body }) => JSON.parse(body));

const outboxOf = (applicationId: string) =>
  rows(
    forkOf(api.runtime.orm),
    sql<{
      topic: string;
      payload: object;
    }>`select topic, payload from outbox where subject_id = ${applicationId}::uuid order by seq`,
  );

const makeOwn = async (settings: Record<string, unknown> = {}) => {
  const merchant = await makeMerchant(api.runtime);
  return { ...merchant, ...(await makeProgram(api, merchant.key, settings)) };
};

const countAffiliates = async (programId: string) =>
  (
    await firstRow(
      forkOf(api.runtime.orm),
      sql<{ n: number }>`select count(*)::int as n from affiliate where program_id = ${programId}::uuid`,
    )
  )?.n;

const setLatest = (programId: string, change: { decidedAt: Date; decidedBy: string | null; status: string }) =>
  execute(
    ctx().em,
    sql`update application set status = ${change.status}, decided_at = ${change.decidedAt.toISOString()}::timestamptz,
      decided_by = ${change.decidedBy}::uuid where program_id = ${programId}::uuid and status <> 'withdrawn'`,
  );

describe('an application', () => {
  it('waits for the merchant: affiliate.joined carries it with the allotted affiliateId, and its workflow is requested', async () => {
    const { merchantId, programId } = await makeOwn();
    const { profileId, email } = await makePerson(api.runtime);
    const applied = await apply(ctx(), programId, { profileId, message: 'Hello' });
    expect(applied).toEqual({
      applicationId: expect.any(String),
      affiliateId: expect.any(String),
      status: 'pending',
      riskNotes: [],
    });
    const { applicationId, affiliateId } = applied;
    expect(await eventsOf(merchantId)).toEqual([
      expect.objectContaining({
        type: 'affiliate.joined',
        programId,
        data: expect.objectContaining({ id: applicationId, affiliateId, status: 'pending', email, message: 'Hello' }),
      }),
    ]);
    expect(await outboxOf(applicationId)).toEqual([
      { topic: 'application.start', payload: expect.objectContaining({ applicationId, affiliateId, merchantId, programId }) },
    ]);
    expect(JSON.stringify(await outboxOf(applicationId))).not.toContain(email);
    expect(await countAffiliates(programId)).toBe(0);
  });

  it('an application is approved at once when the program says so: under the allotted id, with one affiliate.approved and no workflow', async () => {
    const { key, merchantId, programId } = await makeOwn({ autoApproveAffiliates: true });
    const { profileId } = await makePerson(api.runtime);
    const { applicationId, affiliateId, status } = await apply(ctx(), programId, { profileId });
    expect(status).toBe('auto_approved');
    expect((await api.call('GET', `/affiliates/${affiliateId}`, { key })).data).toMatchObject({
      id: affiliateId,
      status: 'approved',
    });
    expect((await eventsOf(merchantId)).map(({ type, data }) => [type, data.affiliateId ?? data.id])).toEqual([
      ['affiliate.joined', affiliateId],
      ['affiliate.approved', affiliateId],
    ]);
    expect(await outboxOf(applicationId)).toEqual([]);
    const links = await api.call('GET', '/me/links', { key: await makeAffiliateKey(api.runtime, profileId) });
    expect(links.data).toMatchObject([{ affiliateId, name: 'Default link' }]);
  });

  it('an application with a risk note waits, although the program approves by itself', async () => {
    const { programId } = await makeOwn({ autoApproveAffiliates: true, website: 'https://www.acme.example' });
    const { profileId } = await makePerson(api.runtime, { email: `p-${unique()}@acme.example` });
    expect(await apply(ctx(), programId, { profileId })).toMatchObject({
      status: 'pending',
      riskNotes: ['merchant_email_domain'],
    });
  });

  it('an application that skips the review is approved in spite of risk notes', async () => {
    const { programId } = await makeOwn({ website: 'https://acme.example' });
    const { profileId } = await makePerson(api.runtime, { email: `p-${unique()}@acme.example` });
    expect(await apply(ctx(), programId, { profileId, skipReview: true })).toMatchObject({ status: 'auto_approved' });
  });

  it('reserves the requested code: nobody else gets it, and the affiliate has it', async () => {
    const { key, programId } = await makeOwn();
    const code = `code-${unique()}`;
    const [first, second] = [await makePerson(api.runtime), await makePerson(api.runtime)];
    await apply(ctx(), programId, { ...first, requestedCode: code });
    await expect(apply(ctx(), programId, { ...second, requestedCode: code, skipReview: true })).rejects.toMatchObject({
      details: { reason: 'CODE_TAKEN' },
    });
    const { affiliateId } = await apply(ctx(), (await makeOwn()).programId, {
      ...second,
      requestedCode: `${code}-2`,
      skipReview: true,
    });
    const own = await firstRow(ctx().em, sql<{ code: string }>`select code from affiliate where id = ${affiliateId}::uuid`);
    expect(own?.code).toBe(`${code}-2`);
    expect((await api.call('GET', '/affiliates', { key })).meta.total).toBe(0);
  });
});

describe('a second application', () => {
  const again = ({ programId, profileId }: { programId: string; profileId: string }) => apply(ctx(), programId, { profileId });
  const refused = (reason: string) => expect.objectContaining({ code: 'CONFLICT', details: expect.objectContaining({ reason }) });

  it('another application is refused while the first is pending, and 10 at once leave one', async () => {
    const first = await makeApplication(api);
    await expect(again(first)).rejects.toEqual(refused('APPLICATION_PENDING'));
    const person = await makePerson(api.runtime);
    const all = await Promise.allSettled(Array.from({ length: 10 }, () => again({ ...first, ...person })));
    expect(all.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    for (const one of all) if (one.status === 'rejected') expect(one.reason).toEqual(refused('APPLICATION_PENDING'));
  });

  it('another application of an affiliate is refused, and of a blocked one with another reason', async () => {
    const { key, ...first } = await makeApplication(api, { skipReview: true });
    await expect(again(first)).rejects.toEqual(refused('ALREADY_MEMBER'));
    await api.call('POST', `/affiliates/${first.affiliateId}/block`, { key });
    await expect(again(first)).rejects.toEqual(refused('AFFILIATE_BLOCKED'));
  });

  it('another application after a block is refused forever', async () => {
    const first = await makeApplication(api);
    await setLatest(first.programId, { status: 'blocked', decidedAt: new Date(0), decidedBy: first.keyId });
    await expect(again(first)).rejects.toEqual(refused('AFFILIATE_BLOCKED'));
  });

  it('another application after a decline is refused for 30 days, and the answer says until when', async () => {
    const first = await makeApplication(api);
    const declined = { status: 'declined', decidedBy: first.keyId };
    const decidedAt = new Date(Date.now() - 30 * DAY_MS + 60_000);
    await setLatest(first.programId, { ...declined, decidedAt });
    await expect(again(first)).rejects.toMatchObject({
      details: { reason: 'REAPPLY_LATER', retryAt: new Date(decidedAt.getTime() + 30 * DAY_MS).toISOString() },
    });
    await setLatest(first.programId, { ...declined, decidedAt: new Date(Date.now() - 30 * DAY_MS) });
    expect(await again(first)).toMatchObject({ status: 'pending' });
  });

  it.each(['withdrawn', 'declined'])(
    'another application after one was %s by nobody of the merchant is accepted at once',
    async (status) => {
      const first = await makeApplication(api);
      await setLatest(first.programId, { status, decidedAt: new Date(), decidedBy: null });
      expect(await again(first)).toMatchObject({ status: 'pending' });
    },
  );

  it('an application for another program is accepted', async () => {
    const first = await makeApplication(api);
    expect(await again({ ...first, programId: (await makeOwn()).programId })).toMatchObject({ status: 'pending' });
  });
});

test('an application for a person who does not exist is 404', async () => {
  const { programId } = await makeOwn();
  await expect(apply(ctx(), programId, { profileId: api.runtime.ids.next() })).rejects.toMatchObject({ code: 'NOT_FOUND' });
});
