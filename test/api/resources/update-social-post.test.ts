import { useTestApi } from '../../support/api.ts';
import { makeProgram } from '../../support/factories.ts';
import { ABSENT, create, fieldError, makeOwner, makeResource, type Owner } from './support.ts';

const api = useTestApi();

const update = ({ key, programId }: Owner, id: string, body: Record<string, unknown>) =>
  api.call('PATCH', `/marketing-resources/social-posts/${id}`, { key, body: { program_id: programId, ...body } });

it('changes what is given and leaves the rest', async () => {
  const owner = await makeOwner(api);
  const { data } = await create(api, owner, 'social_post', { description: 'Old', instructions: 'Soon' });
  const changes = { title: 'New', body: 'Text', platforms: ['tiktok', 'x'], description: null };
  const changed = await update(owner, data.id, changes);
  expect(changed).toMatchObject({ status: 200, data: { ...data, ...changes, updated_at: changed.data.updated_at } });
  expect((await update(owner, data.id, changes)).data).toEqual(changed.data);
  expect((await update(owner, data.id, {})).data).toEqual(changed.data);
});

it('moves into a collection and out of it', async () => {
  const owner = await makeOwner(api);
  const [post, collection_id] = [await makeResource(api, owner), await makeResource(api, owner, 'collection')];
  expect((await update(owner, post, { collection_id })).data).toMatchObject({ collection_id });
  expect((await update(owner, post, { title: 'New' })).data).toMatchObject({ collection_id });
  expect((await update(owner, post, { collection_id: null })).data).toMatchObject({ collection_id: null });
});

it.each([
  ['status', { status: 'published' }],
  ['title', { title: '' }],
  ['platforms', { platforms: [] }],
  ['program_id', { program_id: undefined }],
])('422 for %s: %j', async (path, body) => {
  const owner = await makeOwner(api);
  const { data } = await create(api, owner, 'social_post');
  expect(await update(owner, data.id, body)).toMatchObject(fieldError(path));
  expect((await update(owner, data.id, {})).data).toEqual(data);
});

it('responds 404 for a resource of another kind, for another own program and a missing one, and for a folder; 403 for a foreign program', async () => {
  const [owner, other] = [await makeOwner(api), await makeOwner(api)];
  const [post, copy] = [await makeResource(api, owner), await makeResource(api, owner, 'swipe_copy')];
  const second = await makeProgram(api, owner.key);
  const statuses = [];
  statuses.push((await update(owner, copy, { title: 'New' })).status);
  for (const program_id of [second.programId, ABSENT, other.programId])
    statuses.push((await update(owner, post, { program_id, title: 'New' })).status);
  statuses.push((await update(owner, post, { folder_id: ABSENT, title: 'New' })).status);
  statuses.push((await update(owner, post, { collection_id: ABSENT, title: 'New' })).status);
  expect(statuses).toEqual([404, 404, 404, 403, 404, 404]);
  expect((await update(owner, post, {})).data.title).toBe('Launch');
});
