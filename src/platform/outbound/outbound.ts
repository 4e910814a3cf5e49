import type { Socket } from 'node:net';
import { createSecureContext, type SecureContext } from 'node:tls';
import { connectTo, startTls } from './connect.ts';
import { exchange, type ReceivedResponse } from './exchange.ts';
import type { OutboundPolicy } from './policy.ts';
import { type Resolve, resolveByDns } from './resolver.ts';
import { type SendError, SendFailure, toSendFailure } from './send-failure.ts';
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

/** The outcome of one attempt. Either the response or the error is set, never both. */
export interface SendReport {
  response: Omit<ReceivedResponse, 'firstByteAtMs'> | null;
  error: SendError | null;
  /** The address connected to; null when no connection was made. */
  remoteIp: string | null;
  /** "TLSv1.3"; null over plain http. */
  tls: string | null;
  timings: Timings;
}

export interface Outbound {
  /** Posts once. Never throws for what the receiver or the network does: see `error` of the report. */
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

const addressesOf = async (resolve: Resolve, target: Target, signal: AbortSignal): Promise<string[]> => {
  if (target.literal) return target.literal;
  const late = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(new SendFailure('dns_timeout')), { once: true });
  });
  return await Promise.race([resolve(target.host, signal), late]);
};

/** One attempt. Its state is the report, however far it got. */
class Attempt {
  readonly #options: OutboundOptions;
  readonly #trust: SecureContext;
  readonly #startedMs = performance.now();
  readonly #report: SendReport = {
    response: null,
    error: null,
    remoteIp: null,
    tls: null,
    timings: { dnsMs: null, connectMs: null, tlsMs: null, firstByteMs: null, totalMs: 0 },
  };
  #phaseMs = this.#startedMs;

  constructor(options: OutboundOptions, trust: SecureContext) {
    this.#options = options;
    this.#trust = trust;
  }

  async run(message: OutboundMessage): Promise<SendReport> {
    const total = AbortSignal.timeout(this.#options.totalTimeoutMs ?? TOTAL_TIMEOUT_MS);
    let socket: Socket | null = null;
    try {
      const target = readTarget(this.#options.policy, message.url);
      if ('broken' in target) throw new SendFailure('blocked_address');
      socket = await this.#open(target);
      await this.#send(socket, target, message, total);
    } catch (error) {
      this.#report.error = toSendFailure(error, 'reset').code;
    } finally {
      socket?.destroy();
      this.#report.timings.totalMs = Math.round(performance.now() - this.#startedMs);
    }
    return this.#report;
  }

  /** Resolves, vets every address, connects to a vetted one and starts TLS. */
  async #open(target: Target): Promise<Socket> {
    const { policy, resolve = resolveByDns, connectTimeoutMs = CONNECT_TIMEOUT_MS } = this.#options;
    const signal = AbortSignal.timeout(connectTimeoutMs);
    const { timings } = this.#report;
    const addresses = await addressesOf(resolve, target, signal);
    timings.dnsMs = this.#lap();
    if (!mayDial(policy, target, addresses)) throw new SendFailure('blocked_address');
    const remainingMs = this.#startedMs + connectTimeoutMs - performance.now();
    const socket = await connectTo(target, addresses, { signal, remainingMs });
    this.#report.remoteIp = socket.remoteAddress ?? null;
    timings.connectMs = this.#lap();
    if (!target.secure) return socket;
    const encrypted = await startTls(socket, target, this.#trust, signal);
    this.#report.tls = encrypted.getProtocol();
    timings.tlsMs = this.#lap();
    return encrypted;
  }

  async #send(socket: Socket, target: Target, { headers, body }: OutboundMessage, total: AbortSignal): Promise<void> {
    const own = { 'user-agent': this.#options.userAgent, 'accept-encoding': 'identity', accept: '*/*' };
    const { firstByteAtMs, ...response } = await exchange(socket, target, { headers: { ...headers, ...own }, body }, total);
    this.#report.response = response;
    this.#report.timings.firstByteMs = Math.round(firstByteAtMs - this.#phaseMs);
  }

  #lap(): number {
    const now = performance.now();
    const lap = Math.round(now - this.#phaseMs);
    this.#phaseMs = now;
    return lap;
  }
}

/** Posts to servers of others. Every resolved address is vetted, and only a vetted one is connected to. */
export const createOutbound = (options: OutboundOptions): Outbound => {
  // Created once: reading the trusted certificates takes longer than an attempt.
  const trust = createSecureContext({ minVersion: 'TLSv1.2', ...(options.ca ? { ca: [...options.ca] } : {}) });
  return { post: (message) => new Attempt(options, trust).run(message) };
};
