import type { Context } from '../../../platform/context.ts';
import { faultPoint } from '../../../platform/fault-points.ts';
import type { Outbound, SendReport } from '../../../platform/outbound/outbound.ts';
import { classifyAttempt } from '../deliveries/classify-attempt.rules.ts';
import { signedMessage } from '../deliveries/signature.steps.ts';
import type { LaneAttempt, StartedAttempt } from '../use-cases/record-lane-attempts.ts';

export interface LaneSenderOptions {
  /** A new context for one step. The name identifies the actor. */
  context(name: string): Context;
  outbound: Outbound;
  /** Called with `succeeded` or the error code of each attempt. */
  onAttempt?: ((outcome: string) => void) | undefined;
}

const INTERNAL_ERROR = { succeeded: false, error: 'internal_error', minWaitMs: 0 } as const;

const NOTHING_SENT: SendReport = {
  response: null,
  error: null,
  remoteIp: null,
  tls: null,
  timings: { dnsMs: null, connectMs: null, tlsMs: null, firstByteMs: null, totalMs: 0 },
};

/** SQLSTATE class 22: data exception. */
export const isDataError = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' && error.code.startsWith('22');

/** Without what the receiver wrote: an unusual response must not stop the lane. */
export const withoutText = (attempt: LaneAttempt): LaneAttempt => {
  const { response } = attempt.report;
  if (!response) return attempt;
  const rest = { ...response, headers: {}, retryAfter: [], excerpt: Buffer.alloc(0), truncated: true };
  return { ...attempt, report: { ...attempt.report, response: rest, remoteIp: null, tls: null } };
};

/** Signs and sends started attempts. */
export class LaneSender {
  readonly #options: LaneSenderOptions;
  #bytes = 0;

  constructor(options: LaneSenderOptions) {
    this.#options = options;
  }

  /** Bytes of the bodies in flight. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Never throws. */
  async send(attempt: StartedAttempt): Promise<LaneAttempt> {
    const { delivery, n, body } = attempt;
    const ctx = this.#options.context('drainLane');
    this.#bytes += body.length;
    const report = await this.#post(ctx, attempt);
    this.#bytes -= body.length;
    const finishedAt = ctx.clock.now();
    const outcome = report ? classifyAttempt(report, finishedAt) : INTERNAL_ERROR;
    this.#options.onAttempt?.(outcome.error ?? 'succeeded');
    const { error, succeeded } = outcome;
    const line = { deliveryId: delivery.id, n, httpStatus: report?.response?.status, error, ms: report?.timings.totalMs };
    if (succeeded) ctx.log.debug(line, 'webhook attempt');
    else ctx.log.info(line, 'webhook attempt');
    return { delivery, n, finishedAt, report: report ?? NOTHING_SENT, outcome };
  }

  /** Null for an error of our own, such as a secret that cannot be decrypted: it must not stop the lane. */
  async #post(ctx: Context, attempt: StartedAttempt): Promise<SendReport | null> {
    const { delivery, secrets } = attempt;
    try {
      const message = signedMessage(ctx, delivery, attempt, secrets);
      faultPoint('webhook:before-post');
      const report = await this.#options.outbound.post({ ...message, connectionKey: delivery.endpointId });
      faultPoint('webhook:after-response');
      return report;
    } catch (err) {
      ctx.log.error({ err, deliveryId: delivery.id }, 'webhook attempt could not be made');
      return null;
    }
  }
}
