/** Something the person at the keyboard has to do: the message is shown alone, without a stack. */
export class LocalStackError extends Error {
  override readonly name = 'LocalStackError';
}

// Not `instanceof Error`: inside Jest the errors of Node come from another realm.

export function describeError(error: unknown): string {
  return readText(error, 'message') || String(error);
}

/** The operating system's word for what went wrong (`EACCES`, `ENOSPC`), or undefined. */
export function errorCode(error: unknown): string | undefined {
  return readText(error, 'code');
}

function readText(error: unknown, key: string): string | undefined {
  const value = typeof error === 'object' && error !== null ? (error as Record<string, unknown>)[key] : undefined;
  return typeof value === 'string' ? value : undefined;
}
