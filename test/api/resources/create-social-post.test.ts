import { randomUUID } from 'node:crypto';
import { MAX_COLLECTION_ITEMS, MAX_RESOURCES_PER_PROGRAM } from '../../../src/contracts/limits.ts';
import { useTestApi } from '../../support/api.ts';
import { makeProgram } from '../../support/factories.ts';
import { rowsOf } from '../../support/rail-payouts.ts';
import { ABSENT, conflictOf, create, fieldError, list, makeOwner, makeResource, POST } from './support.ts';

const api = useTestApi();

/** Copies of one resource, as many as given. */
const fill = (id: string, count: number, collectionId: string | null = null) =>
  rowsOf(
    api,
    `insert into marketing_resource (id, merchant_id, program_id, kind, status, title, platforms, collection_id, created_at, updated_at)
     select gen_random_uuid(), merchant_id, program_id, kind, status, title, platforms, ?::uuid, created_at, updated_at
     from marketing_resource, generate_series(1, ?) where id = ? returning id`,
    [collectionId, count, id],
  );

it('returns the post as a draft', async () => {
  const owner = await makeOwner(api);
  const made = await create(api, owner, 'social_post', { description: 'For the launch', instructions: null, folder_id: null });
  expect(made).toMatchObject({ status: 201 });
  expect(made.data).toEqual({
    id: expect.any(String),
    program_id: owner.programId,
    kind: 'social_post',
    status: 'draft',
    ...POST,
    description: 'For the launch',
    instructions: null,
    url: null,
    collection_id: null,
    folder_id: null,
    media: [],
    published_at: null,
    created_at: expect.any(String),
    updated_at: made.data.created_at,
  });
});

it('publishes at once when asked to', async () => {
  const owner = await makeOwner(api);
  const { data } = await create(api, owner, 'social_post', { status: 'published' });
  expect(data).toMatchObject({ status: 'published', published_at: data.created_at });
});

it('stores emoji, right-to-left text and line breaks as they are given', async () => {
  const owner = await makeOwner(api);
  const texts = { title: '🚀 مرحبا 👩‍👩‍👧', body: 'שלום\n{{affiliate_link}}\t🏳️‍🌈 \u202eabc', instructions: 'a\u0301' };
  expect((await create(api, owner, 'social_post', texts)).data).toMatchObject(texts);
});

it('a post is in a collection of its program', async () => {
  const owner = await makeOwner(api);
  const collection_id = await makeResource(api, owner, 'collection');
  expect((await create(api, owner, 'social_post', { collection_id })).data).toMatchObject({ collection_id });
});

it.each([
  ['title', { title: ' ' }],
  ['title', { title: 'a'.repeat(201) }],
  ['title', { title: 'a\u0000' }],
  ['body', { body: '' }],
  ['body', { body: 'a'.repeat(10_001) }],
  ['body', { body: '\ud800' }],
  ['platforms', { platforms: [] }],
  ['platforms', { platforms: ['x', 'x'] }],
  ['platforms.0', { platforms: ['myspace'] }],
  ['status', { status: 'archived' }],
  ['collection_id', { collection_id: 'x' }],
  ['url', { url: 'https://acme.example' }],
])('422 for %s: %j', async (path, more) => {
  const owner = await makeOwner(api);
  expect(await create(api, owner, 'social_post', more)).toMatchObject(fieldError(path));
  expect(await list(api, owner)).toEqual([]);
});

it('responds 404 for a missing collection, for one of another program, for a post in its place, and for any folder; 403 for a foreign one', async () => {
  const [owner, other] = [await makeOwner(api), await makeOwner(api)];
  const second = { key: owner.key, ...(await makeProgram(api, owner.key)) };
  const post = await makeResource(api, owner);
  for (const collection_id of [ABSENT, await makeResource(api, second, 'collection'), post])
    expect((await create(api, owner, 'social_post', { collection_id })).status).toBe(404);
  expect((await create(api, owner, 'social_post', { folder_id: ABSENT })).error.message).toBe('Folder not found');
  const foreign = await makeResource(api, other, 'collection');
  expect((await create(api, owner, 'social_post', { collection_id: foreign })).status).toBe(403);
  expect(await list(api, owner)).toEqual([post]);
});

it('responds 409 COLLECTION_FULL beyond 100 resources, also for two requests at once', async () => {
  const owner = await makeOwner(api);
  const collection_id = await makeResource(api, owner, 'collection');
  await fill(await makeResource(api, owner), MAX_COLLECTION_ITEMS - 1, collection_id);
  const made = await Promise.all([1, 2, 3].map(() => create(api, owner, 'social_post', { collection_id })));
  expect(made.map(({ status }) => status).sort()).toEqual([201, 409, 409]);
  expect(await create(api, owner, 'social_post', { collection_id })).toMatchObject(conflictOf(409, 'COLLECTION_FULL'));
});

it('responds 409 TOO_MANY_RESOURCES beyond 1,000 of a program, also for two requests at once', async () => {
  const owner = await makeOwner(api);
  await fill(await makeResource(api, owner), MAX_RESOURCES_PER_PROGRAM - 2);
  const made = await Promise.all([1, 2, 3].map(() => create(api, owner, 'social_post')));
  expect(made.map(({ status }) => status).sort()).toEqual([201, 409, 409]);
  expect(await create(api, owner, 'social_post')).toMatchObject(conflictOf(409, 'TOO_MANY_RESOURCES'));
});

it('a retry with the same Idempotency-Key returns the same post', async () => {
  const owner = await makeOwner(api);
  const headers = { 'idempotency-key': randomUUID() };
  const send = () =>
    api.call('POST', `/programs/${owner.programId}/marketing-resources/social-posts`, { key: owner.key, body: POST, headers });
  const first = await send();
  expect((await send()).text).toBe(first.text);
  expect(await list(api, owner)).toEqual([first.data.id]);
});
