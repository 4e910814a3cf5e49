import { join } from 'node:path';
import { dataFolderOf } from '../installation/data-folder.ts';
import { findStackFile } from '../installation/stack-file.ts';
import { findLockHolder } from '../stack/lock.ts';
import type { LaunchOptions } from './launch.ts';
import { describeSystem, namespaceOf } from './summary.ts';

interface RunningSystem {
  text: string;
  /** Whether it is what this start would have started. */
  isWanted: boolean;
}

/**
 * The system that runs on this data folder, described without starting anything; null when none does. Loads little, because
 * a second start is to answer at once; only for links to sign in, it opens the database.
 */
export const findRunningSystem = async ({ once, port, env }: LaunchOptions): Promise<RunningSystem | null> => {
  const folder = dataFolderOf(env);
  const pid = findLockHolder(join(folder, 'lock'));
  if (pid === null) return null;
  const stop = `press Ctrl-C where it runs, or: kill ${pid}`;
  const stack = await findStackFile(folder);
  // Addresses of an earlier start stay in the file while the next one starts.
  if (stack === null || stack.pids.api === null || !(await isReady(stack.origin))) {
    return {
      text: `Another npm start (process ${pid}) is starting or stopping on ${folder}, and prints its URLs itself. To stop it, ${stop}`,
      isWanted: false,
    };
  }
  const isWanted = !once && (port === null || port === Number(new URL(stack.origin).port));
  const { signInLinksOf } = await import('./sign-in-links.ts');
  // The system is described without them too.
  const signInLinks = await signInLinksOf(env, folder).catch(() => undefined);
  const places = { folder, logsDir: join(folder, 'logs'), smtpUrl: env['SMTP_URL'], namespace: namespaceOf(env), signInLinks };
  const change = isWanted ? '' : ' To start it with other options, stop it first.';
  return {
    text: `${describeSystem(stack, places)}\nIt was running already (process ${pid}).${change} To stop it, ${stop}`,
    isWanted,
  };
};

const isReady = (origin: string): Promise<boolean> =>
  fetch(`${origin}/health/ready`, { signal: AbortSignal.timeout(2_000) }).then(
    (response) => response.ok,
    () => false,
  );
