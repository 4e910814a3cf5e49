import { useTestApi } from '../../support/api.ts';
import { fieldError, makeFile, makeOwner, makeResource, type Owner } from './support.ts';

const api = useTestApi();

const update = ({ key, programId }: Owner, id: string, body: Record<string, unknown>) =>
  api.call('PATCH', `/marketing-resources/${id}`, { key, body: { program_id: programId, ...body } });

it('changes resources of every kind', async () => {
  const owner = await makeOwner(api);
  const collection_id = await makeResource(api, owner, 'collection');
  const changes: [string, Record<string, unknown>][] = [
    [collection_id, { title: 'All', description: 'Everything' }],
    [await makeResource(api, owner), { body: 'Text', collection_id }],
    [await makeResource(api, owner, 'swipe_copy'), { body: 'Text', instructions: 'Soon', collection_id }],
    [await makeResource(api, owner, 'external_link'), { url: 'https://acme.example/kit', collection_id }],
    [await makeFile(api, owner), { title: 'Guide', description: null, collection_id }],
  ];
  for (const [id, body] of changes) expect(await update(owner, id, body)).toMatchObject({ status: 200, data: { id, ...body } });
});

it('responds 422 for a field that the kind does not have', async () => {
  const owner = await makeOwner(api);
  const collection = await makeResource(api, owner, 'collection');
  const link = await makeResource(api, owner, 'external_link');
  const inner = await makeResource(api, owner, 'collection');
  expect(await update(owner, link, { body: 'Text', title: 'New' })).toMatchObject(fieldError('body'));
  expect(await update(owner, collection, { url: 'https://acme.example' })).toMatchObject(fieldError('url'));
  expect(await update(owner, inner, { collection_id: collection })).toMatchObject(fieldError('collection_id'));
  expect(await update(owner, collection, { instructions: 'Soon' })).toMatchObject(fieldError('instructions'));
  expect((await update(owner, link, {})).data.title).toBe('Press kit');
});

it('responds 404 for a collection that is named by itself, or is no collection', async () => {
  const owner = await makeOwner(api);
  const [post, copy] = [await makeResource(api, owner), await makeResource(api, owner, 'swipe_copy')];
  expect((await update(owner, copy, { collection_id: post })).status).toBe(404);
  expect((await update(owner, copy, { collection_id: copy })).status).toBe(404);
});
