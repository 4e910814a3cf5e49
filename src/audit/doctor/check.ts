import { SECOND_MS } from '../../platform/clock.ts';

/** One line of the result. The text of `warn` and `fail` says what to do. */
export interface CheckResult {
  name: string;
  status: 'ok' | 'warn' | 'fail';
  text: string;
}

export interface Check {
  name: string;
  run(): Promise<Omit<CheckResult, 'name'>>;
  /** What to do when `run` throws. */
  advice: string;
}

const DEADLINE_MS = 10 * SECOND_MS;
const MAX_TEXT = 200;

export const ok = (text: string) => ({ status: 'ok', text }) as const;
export const warn = (text: string) => ({ status: 'warn', text }) as const;
export const fail = (text: string) => ({ status: 'fail', text }) as const;

/** The last line of a message: the ORM puts the statement before it. gRPC ends with an empty note. */
const messageOf = (error: unknown): string => {
  const { message, code } = (error instanceof AggregateError ? (error.errors[0] ?? error) : error) as Partial<
    Error & { code: unknown }
  >;
  const line = (message ?? '').trim().split('\n').at(-1) || (typeof code === 'string' ? code : 'unknown error');
  const text = line.slice(line.lastIndexOf(' - ') + 1).replace(/ Resolution note:.*$/, '');
  return text.trim().replace(/\.$/, '').slice(0, MAX_TEXT);
};

const timeout = (): Promise<never> =>
  new Promise((_resolve, reject) => {
    setTimeout(() => reject(new Error(`no result within ${DEADLINE_MS / SECOND_MS} seconds`)), DEADLINE_MS).unref();
  });

const runCheck = async ({ name, run, advice }: Check): Promise<CheckResult> => {
  try {
    return { name, ...(await Promise.race([run(), timeout()])) };
  } catch (error) {
    return { name, ...fail(`${messageOf(error)}. ${advice}`) };
  }
};

/** Runs the checks in order. When the first one fails, the others depend on it and are not run. */
export const runChecks = async ([first, ...others]: readonly Check[]): Promise<CheckResult[]> => {
  if (!first) return [];
  const results = [await runCheck(first)];
  for (const check of others) {
    const isReachable = results[0]?.status !== 'fail';
    results.push(isReachable ? await runCheck(check) : { name: check.name, ...fail(`not checked: ${first.name} failed`) });
  }
  return results;
};
