import { join } from 'node:path';
import { z } from 'zod';
import { readPrivateFile, writePrivateFile } from './private-file.ts';

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
  merchantKey: z.string(),
  affiliateKey: z.string(),
  onboardingKey: z.string(),
  programId: z.string(),
  /** Null for a service that runs elsewhere, and for all of them once the system has stopped. */
  pids: z.object({ api: pid, worker: pid, postgres: pid, redis: pid, temporal: pid, sandbox: pid }),
});

/** What scripts need to use, and to disturb, the running system. */
export type StackFile = z.infer<typeof schema>;
export type Pids = StackFile['pids'];

export const stackFileIn = (folder: string): string => join(folder, 'stack.json');

export const findStackFile = (folder: string): Promise<StackFile | null> => readPrivateFile(stackFileIn(folder), schema);

export interface StackFileKeeper {
  publish(facts: Omit<StackFile, 'pids'>): Promise<StackFile>;
  /** Processes have changed. Before the first `publish` there is nothing to write. */
  refresh(): Promise<void>;
  /** The addresses and keys stay for the next start; the pids may soon be somebody else's. */
  withdraw(): Promise<void>;
}

/** Keeps stack.json true while processes come and go. */
export const keepStackFile = (folder: string, pidsNow: () => Pids): StackFileKeeper => {
  let facts: Omit<StackFile, 'pids'> | null = null;
  const write = async (pids: Pids): Promise<void> => {
    if (facts) await writePrivateFile(stackFileIn(folder), { ...facts, pids });
  };
  return {
    async publish(given) {
      facts = given;
      await write(pidsNow());
      return { ...given, pids: pidsNow() };
    },
    refresh: () => write(pidsNow()),
    withdraw: () => write({ api: null, worker: null, postgres: null, redis: null, temporal: null, sandbox: null }),
  };
};
