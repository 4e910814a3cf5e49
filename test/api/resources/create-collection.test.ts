import { useTestApi } from '../../support/api.ts';
import { makeProgram } from '../../support/factories.ts';
import { conflictOf, create, fieldError, makeOwner } from './support.ts';

const api = useTestApi();

it('returns the collection', async () => {
  const owner = await makeOwner(api);
  const made = await create(api, owner, 'collection', { description: 'For the launch' });
  expect(made).toMatchObject({
    status: 201,
    data: { kind: 'collection', status: 'draft', description: 'For the launch', collection_id: null },
  });
});

it('responds 422 for a collection in a collection and for fields of other kinds', async () => {
  const owner = await makeOwner(api);
  expect(await create(api, owner, 'collection', { collection_id: null })).toMatchObject(fieldError('collection_id'));
  expect(await create(api, owner, 'collection', { body: 'Text' })).toMatchObject(fieldError('body'));
});

it('responds 409 TOO_MANY_COLLECTIONS for the second one of a program in the tier free, also for two requests at once', async () => {
  const owner = await makeOwner(api, 'free');
  const made = await Promise.all([1, 2, 3].map(() => create(api, owner, 'collection')));
  expect(made.map(({ status }) => status).sort()).toEqual([201, 409, 409]);
  expect(await create(api, owner, 'collection')).toMatchObject(conflictOf(409, 'TOO_MANY_COLLECTIONS'));
  const second = { key: owner.key, ...(await makeProgram(api, owner.key)) };
  expect((await create(api, second, 'collection')).status).toBe(201);
});

it('other tiers have as many as they want', async () => {
  const owner = await makeOwner(api, 'starter');
  for (let n = 0; n < 3; n++) expect((await create(api, owner, 'collection')).status).toBe(201);
});
