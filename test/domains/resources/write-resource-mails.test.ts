import { createAffiliate } from '../../../src/domains/applications/index.ts';
import { inTransaction } from '../../../src/platform/context.ts';
import { act, makeOwner, makeResource, type Owner } from '../../api/resources/support.ts';
import { useOwnApi } from '../../support/api.ts';
import { makeAffiliate, unique } from '../../support/factories.ts';
import { rowsOf } from '../../support/rail-payouts.ts';

const api = useOwnApi();
const writeMails = () => api.runtime.writeResourceMails(api.runtime.context({ kind: 'system', name: 'test' }));

/** All affiliates so far joined by an act of their own. */
const notify = async (owner: Owner): Promise<string> => {
  await rowsOf(api, 'update affiliate set joined_at = now() where program_id = ? returning id', [owner.programId]);
  const id = await makeResource(api, owner, 'social_post', { title: 'Launch\u202e', status: 'published' });
  expect((await act(api, owner, id, 'notify')).status).toBe(200);
  return id;
};
const mailsOf = (merchantId: string) =>
  rowsOf(
    api,
    `select id, subject_id as "subjectId", recipient, recipient_digest as digest, payload, period from mail
     where merchant_id = ? and kind = 'resource_announced' order by id`,
    [merchantId],
  );
const openOf = (merchantId: string) =>
  rowsOf(api, 'select id from resource_notification where merchant_id = ? and finished_at is null', [merchantId]);

const addMembers = ({ programId }: Owner, count: number): Promise<void> =>
  inTransaction(api.runtime.context({ kind: 'system', name: 'test' }), async (ctx) => {
    for (let n = 0; n < count; n++)
      await createAffiliate(ctx, { programId, email: `a-${unique()}@example.com`, name: 'Ada Test', source: 'api' });
  });

it('writes one mail to each approved affiliate, with a text that cannot mislead', async () => {
  const owner = await makeOwner(api);
  await makeAffiliate(api.runtime, owner.programId);
  const blocked = await makeAffiliate(api.runtime, owner.programId);
  await api.call('POST', `/affiliates/${blocked.affiliateId}/block`, { key: owner.key, body: {} });
  const id = await notify(owner);
  expect(await writeMails()).toBe(2);
  const mails = await mailsOf(owner.merchantId);
  expect(mails).toMatchObject([{ subjectId: id }, { subjectId: id }]);
  const { cipher } = api.runtime;
  const content = JSON.parse(cipher.decrypt(mails[0].payload, { table: 'mail', column: 'payload', row: mails[0].id }));
  expect(content.sections[0].facts[0]).toEqual(['Title', 'Launch']);
  expect(await openOf(owner.merchantId)).toEqual([]);
  expect(await writeMails()).toBe(0);
});

it('affiliates who join later are not written to', async () => {
  const owner = await makeOwner(api);
  await notify(owner);
  const later = await makeAffiliate(api.runtime, owner.programId);
  await rowsOf(api, `update affiliate set created_at = now() + interval '1 minute' where id = ? returning id`, [
    later.affiliateId,
  ]);
  expect(await writeMails()).toBe(1);
});

it('responds 205 affiliates are written to in several transactions, each once, also by two workers at once', async () => {
  const owner = await makeOwner(api);
  await addMembers(owner, 204);
  await notify(owner);
  const written = await Promise.all([writeMails(), writeMails()]);
  const rest = await writeMails();
  expect(written[0] + written[1] + rest).toBe(205);
  const mails = await mailsOf(owner.merchantId);
  expect(mails).toHaveLength(205);
  expect(new Set(mails.map(({ digest }) => digest)).size).toBe(205);
  expect(await openOf(owner.merchantId)).toEqual([]);
});

it('a second notification of the same resource writes again, and the first one is complete', async () => {
  const owner = await makeOwner(api);
  const id = await notify(owner);
  await act(api, owner, id, 'notify');
  expect(await writeMails()).toBe(2);
  expect(new Set((await mailsOf(owner.merchantId)).map(({ period }) => period)).size).toBe(2);
});

it.each(['unpublish', 'archive', 'delete', 'pause'] as const)(
  'writes nothing after %s, and the notification is over',
  async (verb) => {
    const owner = await makeOwner(api);
    const id = await notify(owner);
    const { key, programId } = owner;
    if (verb === 'delete') await api.call('DELETE', `/marketing-resources/${id}`, { key, body: { program_id: programId } });
    else if (verb === 'pause') await api.call('PATCH', `/programs/${programId}`, { key, body: { status: 'paused' } });
    else await act(api, owner, id, verb);
    expect(await writeMails()).toBe(0);
    expect([await mailsOf(owner.merchantId), await openOf(owner.merchantId)]).toEqual([[], []]);
  },
);
