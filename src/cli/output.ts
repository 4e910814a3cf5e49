import { once } from 'node:events';
import { mkdir, open } from 'node:fs/promises';

interface Output {
  write(text: string): Promise<void>;
  close(): Promise<void>;
}

/** Standard output, or a new file. An existing one is never overwritten: it may be the only record of payouts that are being paid. */
export const openOutput = async (path: string | undefined): Promise<Output> => {
  if (path === undefined) {
    return {
      write: async (text) => void (process.stdout.write(text) || (await once(process.stdout, 'drain'))),
      close: async () => {},
    };
  }
  const file = await open(path, 'wx', 0o600).catch(refuse(path, 'file'));
  return {
    write: async (text) => void (await file.write(text)),
    async close() {
      await file.sync();
      await file.close();
    },
  };
};

/** A new folder, for its owner only. */
export const createFolder = async (path: string): Promise<void> => {
  await mkdir(path, { mode: 0o700 }).catch(refuse(path, 'folder'));
};

const refuse =
  (path: string, kind: string) =>
  ({ code }: NodeJS.ErrnoException): never => {
    throw new Error(code === 'EEXIST' ? `${path} exists already: name a new ${kind}` : `${path} cannot be created (${code})`);
  };
