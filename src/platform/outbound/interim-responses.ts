import type { Socket } from 'node:net';
import { SendFailure } from './send-failure.ts';

const INTERIM = /^HTTP\/1\.1 1(?!01)\d\d/;
const STATUS_LENGTH = 'HTTP/1.1 100'.length;
const MAX_RESPONSES = 20;
const MAX_BYTES = 16_384;

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
      if (end === -1 ? held.length > MAX_BYTES : ++skipped > MAX_RESPONSES) socket.destroy(new SendFailure('bad_response'));
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
