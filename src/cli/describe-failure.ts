import { CommanderError } from 'commander';
import { AppError } from '../platform/errors.ts';
import { StartupError } from '../platform/startup-error.ts';

interface Failure {
  /** Without line breaks; empty when it has been printed already. */
  text: string;
  exitCode: number;
}

/** The line on standard error. Driver errors may quote statements and their values, so only their code is printed. */
export const describeFailure = (error: unknown): Failure => {
  if (error instanceof CommanderError) {
    // Commander has printed its own messages, but not ours.
    return { text: error.code === 'admin.usage' ? error.message : '', exitCode: error.exitCode };
  }
  return { text: oneLine(textOf(error)), exitCode: 1 };
};

const textOf = (error: unknown): string => {
  if (error instanceof AppError) {
    const { code, message, details } = error;
    return JSON.stringify({ error: { code, message, ...(details ? { details } : {}) } });
  }
  if (error instanceof StartupError) return `error: ${error.message}`;
  const code = codeOf(error);
  if (code === 'ECONNREFUSED') return 'error: the database is unavailable. Is npm start running, or is DATABASE_URL correct?';
  if (code !== undefined) return `error: the database or the operating system returned an error (${code})`;
  return `error: ${error instanceof Error ? error.message : String(error)}`;
};

/** The code of the error or of the first of its causes that has one. */
const codeOf = (error: unknown): string | undefined => {
  if (!(error instanceof Error)) return undefined;
  return 'code' in error && typeof error.code === 'string' ? error.code : codeOf(error.cause);
};

const oneLine = (text: string): string => text.trim().replace(/\s+/g, (blanks) => (blanks.includes('\n') ? ' ' : blanks));
