/** A process cannot start as it is configured. The message is one sentence for the operator, without secrets. */
export class StartupError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'StartupError';
  }
}

/** For the entry points: prints the sentence instead of a stack trace, and ends the process with code 1. */
export const exitOnStartupError = (error: unknown): never => {
  if (!(error instanceof StartupError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exit(1);
};
