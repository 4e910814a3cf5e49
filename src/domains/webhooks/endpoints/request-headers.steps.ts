import { MAX_REQUEST_HEADERS } from '../../../contracts/limits.ts';
import type { Context } from '../../../platform/context.ts';
import { conflict } from '../../../platform/errors.ts';

/** Headers that a merchant adds to deliveries, by name in lower case. */
export type RequestHeaders = Readonly<Record<string, string>>;

/** Null and '' remove a header. Names in any case. */
export type RequestHeaderChanges = Readonly<Record<string, string | null>>;

/** This server sets them, or they decide how the request is transferred. */
const RESERVED_NAMES = new Set([
  'accept',
  'accept-encoding',
  'connection',
  'date',
  'expect',
  'forwarded',
  'host',
  'http2-settings',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'user-agent',
  'via',
]);
const RESERVED_PREFIXES = ['content-', 'proxy-', 'svix-', 'webhook-', 'x-forwarded-'];

export const isReservedHeader = (name: string): boolean => {
  const lower = name.toLowerCase();
  return RESERVED_NAMES.has(lower) || RESERVED_PREFIXES.some((prefix) => lower.startsWith(prefix));
};

const cipherContext = (endpointId: string) => ({ table: 'webhook_endpoint', column: 'header_ciphertext', row: endpointId });

/** Null without headers. */
export const encryptRequestHeaders = (ctx: Context, endpointId: string, headers: RequestHeaders): string | null =>
  Object.keys(headers).length === 0 ? null : ctx.cipher.encrypt(JSON.stringify(headers), cipherContext(endpointId));

export const decryptRequestHeaders = (ctx: Context, endpointId: string, ciphertext: string | null): RequestHeaders =>
  ciphertext === null ? {} : (JSON.parse(ctx.cipher.decrypt(ciphertext, cipherContext(endpointId))) as RequestHeaders);

/** Throws a conflict when there would be too many. */
export const changeRequestHeaders = (headers: RequestHeaders, changes: RequestHeaderChanges): RequestHeaders => {
  const changed = new Map(Object.entries(headers));
  for (const [name, value] of Object.entries(changes)) {
    if (value === null || value === '') changed.delete(name.toLowerCase());
    else changed.set(name.toLowerCase(), value);
  }
  if (changed.size > MAX_REQUEST_HEADERS) {
    throw conflict('TOO_MANY_HEADERS', `An endpoint can have at most ${MAX_REQUEST_HEADERS} headers. Remove one first`, {
      limit: MAX_REQUEST_HEADERS,
    });
  }
  return Object.fromEntries([...changed].sort(([a], [b]) => (a < b ? -1 : 1)));
};
