import { CommanderError } from 'commander';
import { errorCode } from '../local-stack/local-stack-error.ts';
import { AppError } from '../platform/errors.ts';

interface Failure {
  /** Without line breaks; empty when all was said already. */
  text: string;
  exitCode: number;
}

/** What standard error says of a command that failed. Drivers quote statements and their values: of theirs only the code is told. */
export const describeFailure = (error: unknown): Failure => {
  if (error instanceof CommanderError) {
    // Commander has written its own messages already; ours it has not seen.
    return { text: error.code === 'admin.usage' ? error.message : '', exitCode: error.exitCode };
  }
  return { text: oneLine(textOf(error)), exitCode: 1 };
};

const textOf = (error: unknown): string => {
  if (error instanceof AppError) {
    const { code, message, details } = error;
    return JSON.stringify({ error: { code, message, ...(details ? { details } : {}) } });
  }
  const code = codeOf(error);
  if (code === 'ECONNREFUSED') return 'error: the database does not answer. Is npm start running, or DATABASE_URL right?';
  if (code !== undefined) return `error: the database or the system refused (${code})`;
  return `error: ${error instanceof Error ? error.message : String(error)}`;
};

const codeOf = (error: unknown): string | undefined =>
  errorCode(error) ?? (error instanceof Error && error.cause !== undefined ? codeOf(error.cause) : undefined);

const oneLine = (text: string): string => text.trim().replace(/\s*\n\s*/g, ' ');
