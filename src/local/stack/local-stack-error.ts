/** An error that the user can fix: its message is printed without a stack trace. */
export class LocalStackError extends Error {
  override readonly name = 'LocalStackError';
}

// Not `instanceof Error`: inside Jest, errors of Node come from another realm.

export function describeError(error: unknown): string {
  return readText(error, 'message') || String(error);
}

/** The error code of the operating system (`EACCES`, `ENOSPC`), or undefined. */
export function errorCode(error: unknown): string | undefined {
  return readText(error, 'code');
}

function readText(error: unknown, key: string): string | undefined {
  const value = typeof error === 'object' && error !== null ? (error as Record<string, unknown>)[key] : undefined;
  return typeof value === 'string' ? value : undefined;
}
