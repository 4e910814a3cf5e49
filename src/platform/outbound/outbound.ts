import type { Socket } from 'node:net';
import { createSecureContext, type SecureContext, type TLSSocket } from 'node:tls';
import type { DeliveryError } from '../../contracts/webhooks.ts';
import { dial, secure } from './dial.ts';
import { type Answer, exchange } from './exchange.ts';
import type { OutboundPolicy } from './policy.ts';
import { type Resolve, resolveByDns } from './resolver.ts';
import { failureOf, SendFailure } from './send-failure.ts';
import { mayDial, readTarget, type Target } from './url-rules.ts';

export interface OutboundMessage {
  url: string;
  headers: Readonly<Record<string, string>>;
  body: Buffer;
}

/** Whole milliseconds; null for a phase that was not reached. */
export interface Timings {
  dnsMs: number | null;
  connectMs: number | null;
  tlsMs: number | null;
  firstByteMs: number | null;
  totalMs: number;
}

/** What one attempt met. Either an answer or an error is set, never both. */
export interface SendReport {
  answer: Omit<Answer, 'firstByteAtMs'> | null;
  error: DeliveryError | null;
  /** The dialled address; null when nothing was dialled. */
  remoteIp: string | null;
  /** "TLSv1.3"; null over plain http. */
  tls: string | null;
  timings: Timings;
}

export interface Outbound {
  /** Posts once. Never throws for what the receiver or the network does: the report tells. */
  post(message: OutboundMessage): Promise<SendReport>;
}

export interface OutboundOptions {
  policy: OutboundPolicy;
  /** `Tributary/1.2.3`. */
  userAgent: string;
  resolve?: Resolve;
  /** Certificates to trust in place of the built-in ones. */
  ca?: readonly string[];
  /** Name server, TCP and TLS together. */
  connectTimeoutMs?: number;
  /** From the first step to the last byte. */
  totalTimeoutMs?: number;
}

export const CONNECT_TIMEOUT_MS = 5_000;
export const TOTAL_TIMEOUT_MS = 20_000;

const addressesOf = async (resolve: Resolve, target: Target, untilMs: number): Promise<string[]> => {
  if (target.literal) return target.literal;
  const deadline = new AbortController();
  const late = new Promise<never>((_, reject) => {
    deadline.signal.addEventListener('abort', () => reject(new SendFailure('dns_timeout')), { once: true });
  });
  const timer = setTimeout(() => deadline.abort(), Math.max(0, untilMs - performance.now()));
  try {
    return await Promise.race([resolve(target.host, deadline.signal), late]);
  } finally {
    clearTimeout(timer);
  }
};

/** One attempt: its state is what the report says, however far it got. */
class Attempt {
  readonly #options: OutboundOptions;
  readonly #trust: SecureContext;
  readonly #startedMs = performance.now();
  readonly #report: SendReport = {
    answer: null,
    error: null,
    remoteIp: null,
    tls: null,
    timings: { dnsMs: null, connectMs: null, tlsMs: null, firstByteMs: null, totalMs: 0 },
  };
  #socket: Socket | null = null;
  #phaseMs = this.#startedMs;

  constructor(options: OutboundOptions, trust: SecureContext) {
    this.#options = options;
    this.#trust = trust;
  }

  async run(message: OutboundMessage): Promise<SendReport> {
    try {
      const target = readTarget(this.#options.policy, message.url);
      if ('broken' in target) throw new SendFailure('blocked_address');
      await this.#open(target);
      await this.#send(target, message);
    } catch (error) {
      this.#report.error = failureOf(error, 'reset').code;
    } finally {
      this.#socket?.destroy();
      this.#report.timings.totalMs = Math.round(performance.now() - this.#startedMs);
    }
    return this.#report;
  }

  async #open(target: Target): Promise<void> {
    const { policy, resolve = resolveByDns, connectTimeoutMs = CONNECT_TIMEOUT_MS } = this.#options;
    const until = this.#startedMs + connectTimeoutMs;
    const { timings } = this.#report;
    const addresses = await addressesOf(resolve, target, until);
    timings.dnsMs = this.#lap();
    if (!mayDial(policy, target, addresses)) throw new SendFailure('blocked_address');
    this.#socket = await dial(addresses, target.port, until);
    this.#report.remoteIp = this.#socket.remoteAddress ?? null;
    timings.connectMs = this.#lap();
    if (!target.secure) return;
    const encrypted: TLSSocket = await secure(this.#socket, target, this.#trust, until);
    this.#socket = encrypted;
    this.#report.tls = encrypted.getProtocol();
    timings.tlsMs = this.#lap();
  }

  async #send(target: Target, message: OutboundMessage): Promise<void> {
    if (!this.#socket) return;
    const { userAgent, totalTimeoutMs = TOTAL_TIMEOUT_MS } = this.#options;
    const deadline = new AbortController();
    const timer = setTimeout(() => deadline.abort(), Math.max(0, this.#startedMs + totalTimeoutMs - performance.now()));
    const headers = { ...message.headers, 'user-agent': userAgent, 'accept-encoding': 'identity', accept: '*/*' };
    try {
      const { firstByteAtMs, ...answer } = await exchange(this.#socket, target, { headers, body: message.body }, deadline.signal);
      this.#report.answer = answer;
      this.#report.timings.firstByteMs = Math.round(firstByteAtMs - this.#phaseMs);
    } finally {
      clearTimeout(timer);
    }
  }

  #lap(): number {
    const now = performance.now();
    const lap = Math.round(now - this.#phaseMs);
    this.#phaseMs = now;
    return lap;
  }
}

/** Posts to other people's servers: addresses are vetted after the look-up, and the vetted one is dialled. */
export const createOutbound = (options: OutboundOptions): Outbound => {
  // Made once: reading the trusted certificates costs more than the attempt.
  const trust = createSecureContext({ minVersion: 'TLSv1.2', ...(options.ca ? { ca: [...options.ca] } : {}) });
  return { post: (message) => new Attempt(options, trust).run(message) };
};
