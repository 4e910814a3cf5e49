import { join } from 'node:path';
import { z } from 'zod';
import { readPrivateFile, writePrivateFile } from './data-folder.ts';

const pid = z.int().nullable();

const schema = z.object({
  origin: z.string(),
  apiUrl: z.string(),
  docsUrl: z.string(),
  temporalAddress: z.string(),
  temporalUiUrl: z.string().nullable(),
  databaseUrl: z.string(),
  redisUrl: z.string(),
  sandboxUrl: z.string(),
  mailboxDir: z.string(),
  filesDir: z.string(),
  merchantKey: z.string(),
  affiliateKey: z.string(),
  onboardingKey: z.string(),
  programId: z.string(),
  /** An affiliate of this program with a payable balance. Empty in files of earlier versions. */
  payableAffiliateId: z.string().default(''),
  /** Null for a service that was not started here, and for all of them once the system has stopped. */
  pids: z.object({ api: pid, worker: pid, postgres: pid, redis: pid, temporal: pid, sandbox: pid }),
});

/** What scripts need to use the running system, or to kill parts of it. */
export type StackFile = z.infer<typeof schema>;
export type Pids = StackFile['pids'];

export const stackFileIn = (folder: string): string => join(folder, 'stack.json');

export const findStackFile = (folder: string): Promise<StackFile | null> => readPrivateFile(stackFileIn(folder), schema);

export interface StackFileKeeper {
  publish(content: Omit<StackFile, 'pids'>): Promise<StackFile>;
  /** Writes the current pids. Does nothing before the first `publish`. */
  refresh(): Promise<void>;
  /** Keeps addresses and keys for the next start, and clears the pids, which may be reused. */
  withdraw(): Promise<void>;
}

/** Keeps stack.json up to date while processes restart. */
export const keepStackFile = (folder: string, pidsNow: () => Pids): StackFileKeeper => {
  let content: Omit<StackFile, 'pids'> | null = null;
  const write = async (pids: Pids): Promise<void> => {
    if (content) await writePrivateFile(stackFileIn(folder), { ...content, pids });
  };
  return {
    async publish(given) {
      content = given;
      await write(pidsNow());
      return { ...given, pids: pidsNow() };
    },
    refresh: () => write(pidsNow()),
    withdraw: () => write({ api: null, worker: null, postgres: null, redis: null, temporal: null, sandbox: null }),
  };
};
