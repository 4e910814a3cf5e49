/** A process cannot start as it is configured. The message is one sentence for the operator, without secrets. */
export class StartupError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'StartupError';
  }
}

/** For the entry points: prints one sentence instead of a stack trace, and ends the process with code 1. */
export const exitOnStartupError = (error: unknown): never => {
  const code = codeOf(error);
  if (!(error instanceof StartupError) && code === undefined) throw error;
  // Errors of the driver may quote addresses and values, so only their code is printed.
  const text = error instanceof StartupError ? error.message : `The database of DATABASE_URL cannot be used (${code}).`;
  process.stderr.write(`${text}\n`);
  process.exit(1);
};

/** For the entry points: what `read` returns. Settings that cannot be used end the process in the same way. */
export const orExit = <T>(read: () => T): T => {
  try {
    return read();
  } catch (error) {
    return exitOnStartupError(error);
  }
};

/** The code of the error or of the first of its causes that has one. */
const codeOf = (error: unknown): string | undefined => {
  if (!(error instanceof Error)) return undefined;
  return 'code' in error && typeof error.code === 'string' ? error.code : codeOf(error.cause);
};
