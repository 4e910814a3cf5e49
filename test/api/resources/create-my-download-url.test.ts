import { useTestApi } from '../../support/api.ts';
import { ABSENT, act, addMedia, conflictOf, makeFile, makeOwner, makeResource, type Owner } from './support.ts';

const api = useTestApi();

const request = ({ affiliateKey, programId }: Owner, body: Record<string, unknown>) =>
  api.call('POST', '/me/marketing-resources/download-url', { key: affiliateKey, body: { program_id: programId, ...body } });

it('creates a URL of what is published', async () => {
  const owner = await makeOwner(api);
  const collection_id = await makeResource(api, owner, 'collection', { status: 'published' });
  const post = await makeResource(api, owner, 'social_post', { status: 'published' });
  const media = await addMedia(api, owner, post);
  const file = await makeFile(api, owner, { status: 'published', collection_id });
  for (const body of [{ media_id: media }, { resource_id: post }, { resource_id: file }, { collection_id }])
    expect([body, (await request(owner, body)).status]).toEqual([body, 200]);
});

it('responds 404 for drafts, archived ones, and those of an archived program', async () => {
  const owner = await makeOwner(api);
  const post = await makeResource(api, owner);
  const media = await addMedia(api, owner, post);
  const ask = async () => [
    (await request(owner, { media_id: media })).status,
    (await request(owner, { resource_id: post })).status,
  ];
  expect(await ask()).toEqual([404, 404]);
  await act(api, owner, post, 'archive');
  expect(await ask()).toEqual([404, 404]);
  await act(api, owner, post, 'publish');
  expect(await ask()).toEqual([200, 200]);
  await api.call('DELETE', `/programs/${owner.programId}`, { key: owner.key });
  expect(await ask()).toEqual([404, 404]);
});

it('responds 409 NOTHING_TO_DOWNLOAD for a collection without published files', async () => {
  const owner = await makeOwner(api);
  const collection_id = await makeResource(api, owner, 'collection', { status: 'published' });
  await makeFile(api, owner, { collection_id });
  expect(await request(owner, { collection_id })).toMatchObject(conflictOf(409, 'NOTHING_TO_DOWNLOAD'));
});

it('responds 404 for what is missing; 403 for what is of another program, and for a blocked affiliate', async () => {
  const [owner, other] = [await makeOwner(api), await makeOwner(api)];
  const foreign = await makeFile(api, other, { status: 'published' });
  const file = await makeFile(api, owner, { status: 'published' });
  expect((await request(owner, { resource_id: ABSENT })).status).toBe(404);
  expect((await request(owner, { resource_id: foreign })).status).toBe(403);
  expect((await request(owner, { resource_id: file, program_id: other.programId })).status).toBe(403);
  await api.call('POST', `/affiliates/${owner.affiliateId}/block`, { key: owner.key, body: {} });
  expect((await request(owner, { resource_id: file })).status).toBe(403);
});
