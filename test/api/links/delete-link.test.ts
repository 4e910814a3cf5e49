import { useTestApi } from '../../support/api.ts';
import { sendSale } from '../../support/factories.ts';
import { block, createLink, listLinks, makeMember } from './support.ts';

const api = useTestApi();

const deleteLink = (key: string, id: string, query: Record<string, string> = {}) =>
  api.call('DELETE', `/me/links/${id}`, { key, query });

test('returns the deleted link, which is gone', async () => {
  const { key, programId } = await makeMember(api);
  const { data: link } = await createLink(api, key);
  const deleted = await deleteLink(key, link.id, { program_id: programId });
  expect(deleted.status).toBe(200);
  expect(deleted.data).toEqual({ ...link, isActive: false, updatedAt: expect.any(String) });
  expect((await listLinks(api, key)).data).toEqual([]);
  expect(await deleteLink(key, link.id)).toMatchObject({ status: 404, error: { code: 'NOT_FOUND' } });
});

test('sales that name its code are still credited', async () => {
  const member = await makeMember(api);
  const { data: link } = await createLink(api, member.key);
  await deleteLink(member.key, link.id);
  expect((await sendSale(api, member, { referralCode: link.code })).data.outcome).toBe('recorded');
  const { data } = await api.call('GET', '/conversions', { key: member.merchantKey });
  expect(data).toMatchObject([{ affiliateId: member.affiliateId }]);
});

test('404 in another program than the one named', async () => {
  const { key } = await makeMember(api);
  const { data: link } = await createLink(api, key);
  const other = await makeMember(api);
  expect(await deleteLink(key, link.id, { program_id: other.programId })).toMatchObject({ status: 404 });
  expect((await listLinks(api, key)).data).toEqual([link]);
});

test('409 while the affiliate is blocked', async () => {
  const member = await makeMember(api);
  const { data: link } = await createLink(api, member.key);
  await block(api, member);
  expect(await deleteLink(member.key, link.id)).toMatchObject({
    status: 409,
    error: { code: 'CONFLICT', details: { reason: 'AFFILIATE_BLOCKED' } },
  });
  expect((await listLinks(api, member.key)).data).toEqual([link]);
});

test('of two requests at once one deletes', async () => {
  const { key } = await makeMember(api);
  const { data: link } = await createLink(api, key);
  const made = await Promise.all([deleteLink(key, link.id), deleteLink(key, link.id)]);
  expect(made.map(({ status }) => status).sort()).toEqual([200, 404]);
});
