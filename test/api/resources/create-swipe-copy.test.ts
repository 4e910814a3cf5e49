import { useTestApi } from '../../support/api.ts';
import { create, fieldError, list, makeOwner } from './support.ts';

const api = useTestApi();

it('returns the text as a draft, or published', async () => {
  const owner = await makeOwner(api);
  const made = await create(api, owner, 'swipe_copy', { body: 'Line one\n{{affiliate_code}}' });
  expect(made).toMatchObject({
    status: 201,
    data: { kind: 'swipe_copy', status: 'draft', body: 'Line one\n{{affiliate_code}}', platforms: [], media: [] },
  });
  expect((await create(api, owner, 'swipe_copy', { status: 'published' })).data.published_at).not.toBeNull();
});

it.each([
  ['body', { body: undefined }],
  ['platforms', { platforms: ['x'] }],
  ['instructions', { instructions: 'a'.repeat(5_001) }],
])('422 for %s: %j', async (path, more) => {
  const owner = await makeOwner(api);
  expect(await create(api, owner, 'swipe_copy', more)).toMatchObject(fieldError(path));
  expect(await list(api, owner)).toEqual([]);
});
