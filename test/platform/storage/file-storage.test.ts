import { randomUUID } from 'node:crypto';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { createDiskStorage } from '../../../src/platform/storage/disk-storage.ts';
import type { FileStorage } from '../../../src/platform/storage/file-storage.ts';
import { createS3Storage } from '../../../src/platform/storage/s3-storage.ts';
import { openS3Server, type S3Server } from '../../support/s3/s3-server.ts';

let folder: string;
let server: S3Server;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tributary-storage-'));
  server = await openS3Server();
}, 700_000);
afterAll(async () => {
  await server.close();
  await rm(folder, { recursive: true, force: true });
});

const STORAGES: [string, () => FileStorage][] = [
  ['disk', () => createDiskStorage({ folder })],
  ['S3', () => createS3Storage(server)],
];

const write = (storage: FileStorage, name: string, bytes: Buffer | Readable, size: number): Promise<void> =>
  storage.write(name, { bytes: Buffer.isBuffer(bytes) ? Readable.from([bytes]) : bytes, size, contentType: 'image/png' });

const read = async (storage: FileStorage, name: string): Promise<Buffer | null> => {
  const bytes = await storage.read(name);
  return bytes === null ? null : buffer(bytes);
};

async function* failing(): AsyncGenerator<Buffer> {
  yield Buffer.alloc(70_000, 1);
  throw new Error('The sender hung up');
}

describe.each(STORAGES)('%s', (_name, open) => {
  it('returns what was written, of any size', async () => {
    const storage = open();
    for (const size of [1, 4_100, 3_000_000]) {
      const [name, bytes] = [randomUUID(), Buffer.alloc(size, size % 251)];
      await write(storage, name, bytes, size);
      expect((await read(storage, name))?.equals(bytes)).toBe(true);
    }
  });

  it('a check finds that files can be kept, and leaves none', async () => {
    expect(await open().check()).toMatch(_name === 'disk' ? /, \d+ GB free$/ : /^bucket /);
  });

  it('returns a part of a file', async () => {
    const [storage, name] = [open(), randomUUID()];
    await write(storage, name, Buffer.from('0123456789'), 10);
    const part = async (start: number, end: number) => {
      const bytes = await storage.read(name, { start, end });
      return bytes && String(await buffer(bytes));
    };
    expect([await part(0, 0), await part(3, 6), await part(9, 9), await part(0, 9)]).toEqual(['0', '3456', '9', '0123456789']);
    expect(await storage.read(randomUUID(), { start: 0, end: 0 })).toBeNull();
  });

  it('a second write replaces the first', async () => {
    const [storage, name] = [open(), randomUUID()];
    await write(storage, name, Buffer.from('first'), 5);
    await write(storage, name, Buffer.from('second'), 6);
    expect(String(await read(storage, name))).toBe('second');
  });

  it('a source that fails or has another size leaves no file', async () => {
    const storage = open();
    const cases: [string, Readable, number][] = [
      ['fails', Readable.from(failing()), 200_000],
      ['too short', Readable.from([Buffer.alloc(10)]), 20],
      ['too long', Readable.from([Buffer.alloc(30)]), 20],
    ];
    for (const [why, bytes, size] of cases) {
      const name = randomUUID();
      await expect(write(storage, name, bytes, size)).rejects.toThrow(why === 'fails' ? 'The sender hung up' : '');
      expect([why, await read(storage, name)]).toEqual([why, null]);
    }
  });

  it('a missing file is null, and a file can be removed more than once', async () => {
    const [storage, name] = [open(), randomUUID()];
    expect(await read(storage, name)).toBeNull();
    await storage.remove(name);
    await write(storage, name, Buffer.from('bytes'), 5);
    await storage.remove(name);
    await storage.remove(name);
    expect(await read(storage, name)).toBeNull();
  });

  it('rejects names that are no ids, before anything is done', async () => {
    const storage = open();
    for (const name of ['../etc/passwd', 'a/b', '', '.', 'A', 'x'.repeat(100), `${randomUUID()}/..`]) {
      await expect(storage.read(name)).rejects.toThrow('names of files are ids');
      await expect(storage.remove(name)).rejects.toThrow('names of files are ids');
    }
  });
});

it('disk: removes what a crash left of a file', async () => {
  const storage = createDiskStorage({ folder });
  const name = randomUUID();
  await write(storage, name, Buffer.from('bytes'), 5);
  const place = join(folder, name.slice(-2));
  await writeFile(join(place, `${name}.part`), 'by');
  await storage.remove(name);
  expect((await readdir(place)).filter((file) => file.startsWith(name))).toEqual([]);
});

it('S3: an unreachable server and wrong credentials are errors within the deadline', async () => {
  const unreachable = createS3Storage({ ...server, endpoint: 'http://127.0.0.1:9' });
  await expect(unreachable.read(randomUUID())).rejects.toThrow();
  const stranger = createS3Storage({ ...server, credentials: { accessKeyId: 'test-access', secretAccessKey: 'wrong' } });
  await expect(stranger.read(randomUUID())).rejects.toThrow();
  await expect(write(stranger, randomUUID(), Buffer.from('x'), 1)).rejects.toThrow();
});
