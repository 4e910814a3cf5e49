import { useTestApi } from '../../support/api.ts';
import { makeMerchant, makeProgram } from '../../support/factories.ts';
import { rowsOf } from '../../support/rail-payouts.ts';
import { makePublicShop } from '../marketplace/support.ts';

const api = useTestApi();

const make = async () => {
  const { key } = await makeMerchant(api.runtime);
  const { programId } = await makeProgram(api, key);
  const update = (body: unknown) => api.call('PATCH', `/programs/${programId}/marketplace`, { key, body });
  const program = async () => (await api.call('GET', `/programs/${programId}`, { key })).data;
  return { key, programId, update, program };
};

const entry = {
  status: 'draft',
  category: 'Productivity',
  description: 'For small teams',
  logoUrl: 'https://acme.example/a.png',
};

test('sets the marketplace fields of the program, and leaves out those that are left out', async () => {
  const { programId, update, program } = await make();
  const shown = { programId, ...entry, readiness: 'partial', isListed: false };
  expect(await update(entry)).toMatchObject({ status: 200, data: shown });
  expect((await update({ category: null })).data).toEqual({ ...shown, category: null });
  expect((await update({})).data).toEqual({ ...shown, category: null });
  expect(await program()).toMatchObject({
    marketplaceStatus: 'draft',
    marketplaceCategory: null,
    marketplaceDescription: 'For small teams',
    marketplaceLogoUrl: 'https://acme.example/a.png',
  });
});

test('says whether the program is listed', async () => {
  const { key, programId } = await makePublicShop(api);
  const update = (body: unknown) => api.call('PATCH', `/programs/${programId}/marketplace`, { key, body });
  expect((await update({})).data).toMatchObject({ status: 'public', readiness: 'ready', isListed: true });
  expect((await update({ status: 'private' })).data).toMatchObject({ readiness: 'ready', isListed: false });
  await api.call('PATCH', `/programs/${programId}`, { key, body: { status: 'paused' } });
  expect((await update({ status: 'public' })).data).toMatchObject({ status: 'public', isListed: false });
});

test('program.updated is emitted once, with the names of the program, and not when nothing changed', async () => {
  const { programId, update } = await make();
  await update(entry);
  await update(entry);
  const events = await rowsOf(
    api,
    `select convert_from(body, 'UTF8')::jsonb->'data'->'updatedFields' as fields from webhook_event
     where program_id = ? and type = 'program.updated'`,
    [programId],
  );
  expect(events).toEqual([
    { fields: ['marketplaceStatus', 'marketplaceCategory', 'marketplaceDescription', 'marketplaceLogoUrl'] },
  ]);
});

test.each([
  ['status', { status: 'listed' }],
  ['category', { category: '' }],
  ['category', { category: 'x'.repeat(101) }],
  ['description', { description: 'x'.repeat(2001) }],
  ['logoUrl', { logoUrl: `https://acme.example/${'x'.repeat(2048)}` }],
  ['marketplaceStatus', { marketplaceStatus: 'public' }],
])('422 for an invalid %s: %j', async (path, body) => {
  const { update, program } = await make();
  const before = await program();
  expect(await update(body)).toMatchObject({
    status: 422,
    error: { code: 'VALIDATION_ERROR', details: { issues: [expect.objectContaining({ path })] } },
  });
  expect(await program()).toEqual(before);
});
