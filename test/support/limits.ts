import type { TestResponse } from './api.ts';

/** Never stored: Postgres cannot, or no field is that long. */
export const REJECTED_TEXTS: Readonly<Record<string, string>> = {
  null: 'a\u0000b',
  'high surrogate': 'a\ud800b',
  'low surrogate': '\udc00',
  'too long': 'x'.repeat(100_000),
};

/** With what a sender may leave empty. */
export const BAD_TEXTS: Readonly<Record<string, string>> = { ...REJECTED_TEXTS, empty: '' };

/** What the sender reads: never an error of the server, and errors in the documented shape. */
export const expectDocumented = (what: unknown, { status, error, meta }: TestResponse): void => {
  expect([what, status, status < 500]).toEqual([what, status, true]);
  if (status < 400) return;
  expect([what, error?.code, error?.message, meta?.requestId]).toEqual([
    what,
    expect.stringMatching(/^[A-Z_]+$/),
    expect.any(String),
    expect.any(String),
  ]);
};
