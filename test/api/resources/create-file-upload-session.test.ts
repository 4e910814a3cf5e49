import { MAX_FILE_BYTES } from '../../../src/contracts/limits.ts';
import { FILE_TYPES } from '../../../src/contracts/resources.ts';
import { useTestApi } from '../../support/api.ts';
import { fieldError, makeOwner, type Owner } from './support.ts';

const api = useTestApi();

const open = ({ key, programId }: Owner, more: Record<string, unknown> = {}) =>
  api.call('POST', `/programs/${programId}/marketing-resources/files/upload-sessions`, {
    key,
    body: { file_name: 'guide.pdf', mime_type: 'application/pdf', file_size_bytes: 200, ...more },
  });

it('accepts files of every accepted type up to 50 MB', async () => {
  const owner = await makeOwner(api);
  for (const mime_type of FILE_TYPES) {
    expect((await open(owner, { mime_type, file_size_bytes: MAX_FILE_BYTES })).status).toBe(201);
    expect(await open(owner, { mime_type, file_size_bytes: MAX_FILE_BYTES + 1 })).toMatchObject(fieldError('file_size_bytes'));
  }
});

it.each(['text/html', 'image/svg+xml', 'application/zip', 'IMAGE/PNG', ''])(
  'responds 422 for the type "%s"',
  async (mime_type) => {
    const owner = await makeOwner(api);
    expect(await open(owner, { mime_type })).toMatchObject(fieldError('mime_type'));
  },
);
