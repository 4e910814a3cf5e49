import type { FastifyReply, FastifyRequest } from 'fastify';
import { MAX_BODY_BYTES } from '../../contracts/limits.ts';
import { SECOND_MS } from '../../platform/clock.ts';
import { AppError } from '../../platform/errors.ts';
import { overloaded } from './load-shedding.ts';

/** Bodies that are being received, in announced bytes: of the whole process, and of one caller. */
const MAX_TOTAL_BYTES = 32 * MAX_BODY_BYTES;
const MAX_CALLER_BYTES = 4 * MAX_BODY_BYTES;
/** Even an empty body holds a connection and its state. */
const MIN_BODY_BYTES = 16 * 1024;
const RECEIVE_TIMEOUT_MS = 15 * SECOND_MS;

const announcedBytes = (request: FastifyRequest): number => {
  if (request.headers['transfer-encoding'] !== undefined) return MAX_BODY_BYTES;
  const length = Number(request.headers['content-length'] ?? 0);
  // A longer one is rejected unread.
  return length === 0 || length > MAX_BODY_BYTES ? 0 : Math.max(MIN_BODY_BYTES, length);
};

const timedOut = (): AppError =>
  new AppError('BAD_REQUEST', 'The request body was not received in time', {
    issues: [{ path: 'body', code: 'timeout', message: `was not received within ${RECEIVE_TIMEOUT_MS / SECOND_MS} seconds` }],
  });

export interface BodyLimits {
  /** Registers the body that follows; throws 429 `OVERLOADED` over a limit. `caller` is who sends it: an owner or an address. */
  receive(request: FastifyRequest, reply: FastifyReply, caller: string): void;
}

/** Bounds the memory and the time that bodies take while they are being received. */
export const createBodyLimits = (): BodyLimits => {
  const byCaller = new Map<string, number>();
  let total = 0;

  const add = (caller: string, bytes: number): void => {
    total += bytes;
    const held = (byCaller.get(caller) ?? 0) + bytes;
    if (held > 0) byCaller.set(caller, held);
    else byCaller.delete(caller);
  };

  return {
    receive(request, reply, caller) {
      const bytes = announcedBytes(request);
      if (bytes === 0) return;
      if (total + bytes > MAX_TOTAL_BYTES || (byCaller.get(caller) ?? 0) + bytes > MAX_CALLER_BYTES)
        throw overloaded(reply, 'Too many request bodies are being received');
      add(caller, bytes);
      const { raw } = request;
      // The content type parser listens for errors of the body and turns them into a response.
      const timer = setTimeout(() => raw.listenerCount('error') > 0 && raw.emit('error', timedOut()), RECEIVE_TIMEOUT_MS);
      const done = (): void => {
        raw.off('end', done);
        reply.raw.off('close', done);
        clearTimeout(timer);
        add(caller, -bytes);
      };
      raw.once('end', done);
      reply.raw.once('close', done);
    },
  };
};
