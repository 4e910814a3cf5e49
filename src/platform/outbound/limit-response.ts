import type { Socket } from 'node:net';
import { SendFailure } from './send-failure.ts';

/** The longest body that is read, in chunks of one byte, with its head and interim responses. */
const MAX_BYTES = 1_048_576;

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
    if (bytes <= MAX_BYTES) return chunk;
    socket.destroy(new SendFailure('bad_response'));
    return null;
  };

  return () => {
    bytes = 0;
  };
};
