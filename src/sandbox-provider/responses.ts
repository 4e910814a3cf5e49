import type { FastifyReply } from 'fastify';
import type { Delays } from './delays.ts';
import type { FailBefore, ResponseMode } from './scripts.ts';
import type { SandboxSettings } from './settings.ts';
import type { Submitted } from './submission.ts';
import type { Transfer } from './transfer.ts';
import { statusOf, toTransferView } from './transfer.ts';

/** How answers leave: properly, or as the script wants. */
export interface Responses {
  refuse(answer: FastifyReply, status: number, code: string, message: string): FastifyReply;
  submitted(answer: FastifyReply, submitted: Submitted): Promise<FastifyReply> | FastifyReply;
}

const VERY_SLOW_MS = 60_000;

export const createResponses = ({ settings, delays }: { settings: SandboxSettings; delays: Delays }): Responses => {
  const refuse: Responses['refuse'] = (answer, status, code, message) => answer.code(status).send({ error: { code, message } });

  const breakOff = (answer: FastifyReply, how: 'end' | 'reset'): FastifyReply => {
    answer.hijack();
    if (how === 'reset') answer.raw.socket?.resetAndDestroy();
    else answer.raw.socket?.destroy();
    return answer;
  };

  const fail = (answer: FastifyReply, failBefore: FailBefore): FastifyReply => {
    if (failBefore === 'break') return breakOff(answer, 'end');
    if (failBefore === 'reset') return breakOff(answer, 'reset');
    if (failBefore === 'hang') return answer.hijack();
    if (failBefore === 'error') return refuse(answer, 500, 'internal_error', 'Something went wrong');
    return refuse(answer.header('retry-after', '1'), 429, 'rate_limited', 'Too many requests');
  };

  const show = (answer: FastifyReply, transfer: Transfer, isNew: boolean): FastifyReply => {
    const refusedFor = transfer.events[0]?.failureCode;
    if (refusedFor) return refuse(answer, 422, refusedFor, 'The transfer was refused and not executed');
    return answer.code(isNew ? 201 : 200).send(toTransferView(transfer));
  };

  const showLater = async (answer: FastifyReply, transfer: Transfer, ms: number): Promise<FastifyReply> =>
    (await delays.wait(ms)) ? show(answer, transfer, true) : breakOff(answer, 'end');

  const behave: Record<ResponseMode, (answer: FastifyReply, transfer: Transfer) => Promise<FastifyReply> | FastifyReply> = {
    normal: (answer, transfer) => show(answer, transfer, true),
    break: (answer) => breakOff(answer, 'end'),
    hang: (answer) => answer.hijack(),
    error: (answer) => refuse(answer, 500, 'internal_error', 'Something went wrong'),
    'broken-body': (answer, transfer) =>
      answer
        .code(200)
        .type('application/json')
        .send(`{"id":"${transfer.id}","status":"${statusOf(transfer)}`),
    conflict: (answer) => refuse(answer, 409, 'duplicate_request', 'A request with this key is already known'),
    slow: (answer, transfer) => showLater(answer, transfer, settings.SANDBOX_SLOW_MS),
    'very-slow': (answer, transfer) => showLater(answer, transfer, VERY_SLOW_MS),
  };

  return {
    refuse,
    submitted(answer, submitted) {
      if (submitted.kind === 'failBefore') return fail(answer, submitted.failBefore);
      if (submitted.kind === 'closing') return breakOff(answer, 'end');
      if (submitted.kind === 'key-reused') {
        return refuse(answer, 409, 'idempotency_key_reused', 'This key was used with another body');
      }
      const { transfer, isNew, responseMode } = submitted;
      return isNew ? behave[responseMode](answer, transfer) : show(answer, transfer, false);
    },
  };
};
