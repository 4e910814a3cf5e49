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

export const stackFileIn = (folder: string): string => join(folder, 'stack.json');

export const findStackFile = (folder: string): Promise<StackFile | null> => readPrivateFile(stackFileIn(folder), schema);

export const writeStackFile = (folder: string, stack: StackFile): Promise<void> => writePrivateFile(stackFileIn(folder), stack);
