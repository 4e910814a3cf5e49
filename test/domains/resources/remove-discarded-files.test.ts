import { removeDiscardedFiles } from '../../../src/domains/resources/index.ts';
import type { FileStorage } from '../../../src/platform/storage/file-storage.ts';
import { addMedia, filesOf, makeFile, makeOwner, makeResource, makeUpload, openUpload } from '../../api/resources/support.ts';
import { useOwnApi } from '../../support/api.ts';
import { rowsOf } from '../../support/rail-payouts.ts';

const api = useOwnApi();
const context = () => api.runtime.context({ kind: 'system', name: 'test' });
const storage = (): FileStorage => api.runtime.settings.storage;
const isStored = async (id: string): Promise<boolean> => {
  const bytes = await storage().read(id);
  bytes?.destroy();
  return bytes !== null;
};

/** The storage, except for what is replaced. */
const contextWith = (replaced: Partial<FileStorage>) => {
  const ctx = context();
  return { ...ctx, em: ctx.em, settings: { ...ctx.settings, storage: { ...storage(), ...replaced } } };
};

it('removes discarded files and their rows, and leaves those in use', async () => {
  const owner = await makeOwner(api);
  const kept = await makeFile(api, owner);
  const post = await makeResource(api, owner);
  await addMedia(api, owner, post);
  const [first, second] = await filesOf(api, owner.merchantId);
  await api.call('DELETE', `/marketing-resources/${post}`, { key: owner.key, body: { program_id: owner.programId } });
  expect(await isStored(second?.id ?? '')).toBe(true);
  await removeDiscardedFiles(context());
  expect([await isStored(first?.id ?? ''), await isStored(second?.id ?? '')]).toEqual([true, false]);
  expect(await filesOf(api, owner.merchantId)).toEqual([{ id: first?.id, status: 'in_use' }]);
  expect((await api.call('GET', `/marketing-resources/${kept}`, { key: owner.key })).data.media).toHaveLength(1);
  expect(await removeDiscardedFiles(context())).toBe(0);
});

it('removes uploads that expired, with and without a file, and no open ones', async () => {
  const owner = await makeOwner(api);
  await openUpload(api, owner, null);
  await makeUpload(api, owner, null);
  const expired = await filesOf(api, owner.merchantId);
  await rowsOf(api, `update stored_file set expires_at = now() - interval '1 second' where merchant_id = ? returning id`, [
    owner.merchantId,
  ]);
  await makeUpload(api, owner, null);
  await removeDiscardedFiles(context());
  expect(await filesOf(api, owner.merchantId)).toMatchObject([{ status: 'received' }]);
  for (const { id } of expired) expect(await isStored(id)).toBe(false);
});

it('leaves a file that is being received alone', async () => {
  const owner = await makeOwner(api);
  await openUpload(api, owner, null);
  await rowsOf(
    api,
    `update stored_file set status = 'receiving', expires_at = now() + interval '1 minute' where merchant_id = ? returning id`,
    [owner.merchantId],
  );
  await removeDiscardedFiles(context());
  expect(await filesOf(api, owner.merchantId)).toMatchObject([{ status: 'receiving' }]);
});

it('a crash between file and row is repaired by the next round', async () => {
  const owner = await makeOwner(api);
  const id = await makeFile(api, owner);
  await api.call('DELETE', `/marketing-resources/${id}`, { key: owner.key, body: { program_id: owner.programId } });
  const [file] = await filesOf(api, owner.merchantId);
  await storage().remove(file?.id ?? '');
  expect(await removeDiscardedFiles(context())).toBeGreaterThanOrEqual(1);
  expect(await filesOf(api, owner.merchantId)).toEqual([]);
});

it('a file that cannot be removed keeps its row, holds up no other, and is tried again', async () => {
  const owner = await makeOwner(api);
  for (const id of [await makeFile(api, owner), await makeFile(api, owner)])
    await api.call('DELETE', `/marketing-resources/${id}`, { key: owner.key, body: { program_id: owner.programId } });
  const [stuck] = await filesOf(api, owner.merchantId);
  const remove = (name: string) =>
    name === stuck?.id ? Promise.reject(new Error('The storage is down')) : storage().remove(name);
  await removeDiscardedFiles(contextWith({ remove }));
  expect(await filesOf(api, owner.merchantId)).toEqual([{ id: stuck?.id, status: 'discarded' }]);
  await removeDiscardedFiles(context());
  expect(await filesOf(api, owner.merchantId)).toEqual([]);
});
