import { useTestApi } from '../../support/api.ts';
import { create, fieldError, list, makeOwner } from './support.ts';

const api = useTestApi();

it('returns the link with its address as it was given', async () => {
  const owner = await makeOwner(api);
  const url = 'https://Acme.example/%7Epress/../kit?x=ü';
  const made = await create(api, owner, 'external_link', { url });
  expect(made).toMatchObject({ status: 201, data: { kind: 'external_link', status: 'draft', url, body: null } });
});

it.each([
  'javascript:alert(1)',
  'data:text/html,x',
  'ftp://acme.example',
  '/press',
  'https://user:pw@acme.example',
  'https://a b',
])('422 for the address %s', async (url) => {
  const owner = await makeOwner(api);
  expect(await create(api, owner, 'external_link', { url })).toMatchObject(fieldError('url'));
  expect(await list(api, owner)).toEqual([]);
});
