import type { Socket } from 'node:net';
import { SendFailure } from './send-failure.ts';

export type ResponseHeaders = Readonly<Record<string, string | string[] | undefined>>;

/** Headers that help to find out what a receiver did. All others may hold credentials or personal data. */
const KEPT = new Set([
  'allow',
  'cf-ray',
  'connection',
  'content-encoding',
  'content-language',
  'content-length',
  'content-type',
  'date',
  'retry-after',
  'server',
  'transfer-encoding',
  'via',
  'x-amzn-requestid',
  'x-correlation-id',
  'x-request-id',
]);

const MAX_VALUE_CHARS = 1_000;

/** The kept headers in lower case, with repeated ones joined. Of `location`, credentials, query and fragment are left out. */
export const keptHeaders = (headers: ResponseHeaders): Record<string, string> => {
  const kept: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    const text = [value ?? []].flat().join(', ').slice(0, MAX_VALUE_CHARS);
    if (KEPT.has(name)) kept[name] = text;
    if (name === 'location')
      kept[name] = text.slice(0, text.search(/[?#]|$/)).replace(/^([a-z][a-z0-9+.-]*:)?\/\/[^/]*@/i, '$1//');
  }
  return kept;
};

const INTERIM = /^HTTP\/1\.1 1(?!01)\d\d/;
const STATUS_LENGTH = 'HTTP/1.1 100'.length;
const MAX_INTERIM_RESPONSES = 20;
const MAX_INTERIM_BYTES = 16_384;

/**
 * Hides 1xx responses other than 101 from undici, which takes an unsolicited "100 Continue" for an error; RFC 9110,
 * section 15.2, tells clients to ignore it. Too many of them destroy the socket with `bad_response`. Call the returned
 * function before each further request on the socket.
 */
export const skipInterimResponses = (socket: Socket): (() => void) => {
  const read = socket.read.bind(socket);
  let held: Buffer = Buffer.alloc(0);
  let skipped = 0;
  let isFinal = false;

  const next = (): Buffer | null => {
    while (INTERIM.test(held.toString('latin1', 0, STATUS_LENGTH))) {
      const end = held.indexOf('\r\n\r\n');
      if (end === -1 ? held.length > MAX_INTERIM_BYTES : ++skipped > MAX_INTERIM_RESPONSES)
        socket.destroy(new SendFailure('bad_response'));
      if (end === -1 || socket.destroyed) return null;
      held = held.subarray(end + 4);
    }
    if (held.length < STATUS_LENGTH && 'HTTP/1.1 1'.startsWith(held.toString('latin1', 0, 10))) return null;
    isFinal = true;
    return held;
  };

  socket.read = (size) => {
    const chunk = read(size) as Buffer | null;
    if (isFinal || chunk === null) return chunk;
    held = Buffer.concat([held, chunk]);
    return next();
  };

  return () => {
    held = Buffer.alloc(0);
    skipped = 0;
    isFinal = false;
  };
};

/** The longest body that is read, in chunks of one byte, with its head and interim responses. */
const MAX_RESPONSE_BYTES = 1_048_576;

/**
 * Destroys the socket with `bad_response` once a response has more bytes. Limits of headers and body do not cover all of it: the
 * reason phrase and the extensions of a chunk, for example, may be endless. Call the returned function before each further
 * request on the socket.
 */
export const limitResponse = (socket: Socket): (() => void) => {
  const read = socket.read.bind(socket);
  let bytes = 0;

  socket.read = (size) => {
    const chunk = read(size) as Buffer | null;
    bytes += chunk?.length ?? 0;
    if (bytes <= MAX_RESPONSE_BYTES) return chunk;
    socket.destroy(new SendFailure('bad_response'));
    return null;
  };

  return () => {
    bytes = 0;
  };
};
