import { useTestApi } from '../../support/api.ts';
import { rowsOf } from '../../support/rail-payouts.ts';
import { act, conflictOf, makeOwner, makeResource } from './support.ts';

const api = useTestApi();

const makePublished = async (tier?: string) => {
  const owner = await makeOwner(api, tier);
  const id = await makeResource(api, owner, 'social_post', { status: 'published' });
  return { owner, id };
};

it('accepts a notification, again and again within the limit of seven days', async () => {
  const { owner, id } = await makePublished('starter');
  const accepted = { requested: true, accepted: true, error_code: null, message: null };
  for (let n = 0; n < 2; n++) expect(await act(api, owner, id, 'notify')).toMatchObject({ status: 200, data: accepted });
  expect(await act(api, owner, id, 'notify')).toMatchObject(conflictOf(409, 'NOTIFICATION_LIMIT_REACHED'));
  await rowsOf(
    api,
    `update resource_notification set created_at = now() - interval '7 days 1 second' where merchant_id = ? returning id`,
    [owner.merchantId],
  );
  expect((await act(api, owner, id, 'notify')).status).toBe(200);
});

it('responds 409 NOT_PUBLISHED for a draft and for an archived resource', async () => {
  const { owner, id } = await makePublished();
  await act(api, owner, id, 'unpublish');
  expect(await act(api, owner, id, 'notify')).toMatchObject(conflictOf(409, 'NOT_PUBLISHED'));
  await act(api, owner, id, 'archive');
  expect(await act(api, owner, id, 'notify')).toMatchObject(conflictOf(409, 'NOT_PUBLISHED'));
});

it('responds 409 PROGRAM_INACTIVE for a paused program', async () => {
  const { owner, id } = await makePublished();
  await api.call('PATCH', `/programs/${owner.programId}`, { key: owner.key, body: { status: 'paused' } });
  expect(await act(api, owner, id, 'notify')).toMatchObject(conflictOf(409, 'PROGRAM_INACTIVE'));
});

it('responds 409 NOTIFICATION_LIMIT_REACHED in the tier free', async () => {
  const { owner, id } = await makePublished('free');
  const refused = await act(api, owner, id, 'notify');
  expect(refused).toMatchObject({ status: 409, error: { details: { reason: 'NOTIFICATION_LIMIT_REACHED', limit: 0 } } });
});
