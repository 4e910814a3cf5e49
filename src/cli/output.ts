import { once } from 'node:events';
import { open } from 'node:fs/promises';

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
  const file = await open(path, 'wx', 0o600).catch(({ code }: NodeJS.ErrnoException) => {
    throw new Error(code === 'EEXIST' ? `${path} exists already: name a new file` : `${path} cannot be created (${code})`);
  });
  return {
    write: async (text) => void (await file.write(text)),
    async close() {
      await file.sync();
      await file.close();
    },
  };
};
