import { useTestApi } from '../../support/api.ts';
import { act, addMedia, list, makeFile, makeOwner, makeResource } from './support.ts';

const api = useTestApi();

/** One resource of each kind, oldest first. */
const makeEach = async () => {
  const owner = await makeOwner(api);
  const ids = {
    collection: await makeResource(api, owner, 'collection', { title: 'Launch 100%' }),
    post: await makeResource(api, owner, 'social_post', { title: 'Post', description: 'under_score' }),
    copy: await makeResource(api, owner, 'swipe_copy', { title: 'Newsletter', body: 'Dear 🚀 Reader' }),
    link: await makeResource(api, owner, 'external_link', { title: 'Press kit' }),
    file: await makeFile(api, owner, { title: 'Brand guide' }),
  };
  return { owner, ids };
};

it('lists all kinds, newest first, as a plain array without page fields', async () => {
  const { owner, ids } = await makeEach();
  const { collection, post, copy, link, file } = ids;
  const listed = await api.call('GET', `/programs/${owner.programId}/marketing-resources`, { key: owner.key });
  expect(listed.data.map(({ id }: { id: string }) => id)).toEqual([file, link, copy, post, collection]);
  expect(Object.keys(listed.meta)).toEqual(['requestId']);
});

it('filters by kind', async () => {
  const { owner, ids } = await makeEach();
  const { collection, post, copy, link, file } = ids;
  const expected = {
    all: [file, link, copy, post, collection],
    collections: [collection],
    files: [file],
    social_posts: [post],
    swipe_copy: [copy],
    links: [link],
  };
  for (const [kind, found] of Object.entries(expected)) expect([kind, await list(api, owner, { kind })]).toEqual([kind, found]);
});

it('filters by status, and shows archived ones only when asked', async () => {
  const { owner, ids } = await makeEach();
  await act(api, owner, ids.post, 'publish');
  await act(api, owner, ids.copy, 'archive');
  expect(await list(api, owner)).toEqual([ids.file, ids.link, ids.post, ids.collection]);
  expect(await list(api, owner, { status: 'published' })).toEqual([ids.post]);
  expect(await list(api, owner, { status: 'archived' })).toEqual([ids.copy]);
  expect(await list(api, owner, { status: 'draft' })).toEqual([ids.file, ids.link, ids.collection]);
  expect(await list(api, owner, { kind: 'drafts' })).toEqual([ids.file, ids.link, ids.collection]);
  expect(await list(api, owner, { kind: 'drafts', status: 'published' })).toEqual([]);
});

it('searches title, description and body in any case, with every character as itself', async () => {
  const { owner, ids } = await makeEach();
  const { collection, post, copy, link } = ids;
  const searches = {
    launch: [collection],
    '100%': [collection],
    r_s: [post],
    'r%s': [],
    '🚀': [copy],
    'PRESS K': [link],
    '\\': [],
  };
  for (const [search, found] of Object.entries(searches)) {
    expect([search, await list(api, owner, { search })]).toEqual([search, found]);
  }
});

it('pages with limit and offset', async () => {
  const { owner } = await makeEach();
  const all = await list(api, owner);
  const pages = [await list(api, owner, { limit: '2' }), await list(api, owner, { limit: '2', offset: '2' })];
  expect([...pages.flat(), ...(await list(api, owner, { limit: '2', offset: '4' }))]).toEqual(all);
  expect(await list(api, owner, { offset: '5' })).toEqual([]);
});

it('shows the media of posts in their order', async () => {
  const owner = await makeOwner(api);
  const post = await makeResource(api, owner);
  const media = [await addMedia(api, owner, post), await addMedia(api, owner, post)];
  const { data } = await api.call('GET', `/programs/${owner.programId}/marketing-resources`, { key: owner.key });
  expect(data[0].media.map(({ id }: { id: string }) => id)).toEqual(media);
});

it.each<Record<string, string>>([
  { limit: '0' },
  { limit: '101' },
  { kind: 'posts' },
  { status: 'live' },
  { page: '1' },
  { cursor: 'x' },
  { search: '' },
  { offset: '-1' },
])('400 for %j', async (query) => {
  const { key, programId } = await makeOwner(api);
  const response = await api.call('GET', `/programs/${programId}/marketing-resources`, {
    key,
    query,
  });
  expect(response).toMatchObject({ status: 400, error: { code: 'BAD_REQUEST' } });
});
