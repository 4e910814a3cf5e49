import type { FastifyReply } from 'fastify';
import type { Delays } from './delays.ts';
import type { FailBefore, ResponseMode } from './scripts.ts';
import type { SandboxSettings } from './settings.ts';
import type { Submitted } from './submission.ts';
import type { Transfer } from './transfer.ts';
import { statusOf } from './transfer.ts';
import { toTransferView } from './transfer-view.ts';

/** Sends responses: regular ones, or as the script demands. */
export interface Responses {
  error(reply: FastifyReply, status: number, code: string, message: string): FastifyReply;
  submitted(reply: FastifyReply, submitted: Submitted): Promise<FastifyReply> | FastifyReply;
}

const VERY_SLOW_MS = 60_000;

export const createResponses = ({ settings, delays }: { settings: SandboxSettings; delays: Delays }): Responses => {
  const error: Responses['error'] = (reply, status, code, message) => reply.code(status).send({ error: { code, message } });

  const disconnect = (reply: FastifyReply, how: 'end' | 'reset'): FastifyReply => {
    reply.hijack();
    if (how === 'reset') reply.raw.socket?.resetAndDestroy();
    else reply.raw.socket?.destroy();
    return reply;
  };

  const failBefore = (reply: FastifyReply, mode: FailBefore): FastifyReply => {
    if (mode === 'disconnect') return disconnect(reply, 'end');
    if (mode === 'reset') return disconnect(reply, 'reset');
    if (mode === 'hang') return reply.hijack();
    if (mode === 'error') return error(reply, 500, 'internal_error', 'Something went wrong');
    return error(reply.header('retry-after', '1'), 429, 'rate_limited', 'Too many requests');
  };

  const show = (reply: FastifyReply, transfer: Transfer, isNew: boolean): FastifyReply => {
    const rejectedWith = transfer.events[0]?.failureCode;
    if (rejectedWith) return error(reply, 422, rejectedWith, 'The transfer was rejected and not executed');
    return reply.code(isNew ? 201 : 200).send(toTransferView(transfer));
  };

  const showLater = async (reply: FastifyReply, transfer: Transfer, ms: number): Promise<FastifyReply> =>
    (await delays.wait(ms)) ? show(reply, transfer, true) : disconnect(reply, 'end');

  const byMode: Record<ResponseMode, (reply: FastifyReply, transfer: Transfer) => Promise<FastifyReply> | FastifyReply> = {
    normal: (reply, transfer) => show(reply, transfer, true),
    disconnect: (reply) => disconnect(reply, 'end'),
    hang: (reply) => reply.hijack(),
    error: (reply) => error(reply, 500, 'internal_error', 'Something went wrong'),
    'truncated-body': (reply, transfer) =>
      reply
        .code(200)
        .type('application/json')
        .send(`{"id":"${transfer.id}","status":"${statusOf(transfer)}`),
    conflict: (reply) => error(reply, 409, 'duplicate_request', 'A request with this key already exists'),
    slow: (reply, transfer) => showLater(reply, transfer, settings.SANDBOX_SLOW_MS),
    'very-slow': (reply, transfer) => showLater(reply, transfer, VERY_SLOW_MS),
  };

  return {
    error,
    submitted(reply, submitted) {
      if (submitted.kind === 'fail-before') return failBefore(reply, submitted.failBefore);
      if (submitted.kind === 'closing') return disconnect(reply, 'end');
      if (submitted.kind === 'key-reused') {
        return error(reply, 409, 'idempotency_key_reused', 'This key was used with a different body');
      }
      const { transfer, isNew, responseMode } = submitted;
      return isNew ? byMode[responseMode](reply, transfer) : show(reply, transfer, false);
    },
  };
};
