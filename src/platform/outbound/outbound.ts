import type { Socket } from 'node:net';
import { createSecureContext, type SecureContext } from 'node:tls';
import { connectTo, startTls } from './connect.ts';
import { createHttpConnection, type ReceivedResponse } from './http-connection.ts';
import { type KeptConnection, KeptConnections } from './kept-connections.ts';
import { maskValues } from './mask-values.ts';
import type { OutboundPolicy } from './policy.ts';
import { type Resolve, resolveByDns } from './resolver.ts';
import { type SendError, SendFailure, toSendFailure } from './send-failure.ts';
import { mayDial, readTarget, type Target } from './url-rules.ts';

export interface OutboundMessage {
  url: string;
  headers: Readonly<Record<string, string>>;
  body: Buffer;
  /** Sent too; `headers` win. Values are secrets: where the receiver repeats them, the report masks them. */
  secretHeaders?: Readonly<Record<string, string>>;
  /**
   * Messages with the same key share connections, for at most 60 seconds each. Without a key the connection is used once.
   */
  connectionKey?: string;
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
  /** Closes idle connections. */
  close(): void;
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
/** A later reset may come from a receiver that is working on the message. */
const SEND_AGAIN_WITHIN_MS = 1_000;

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
  readonly #connections: KeptConnections;
  readonly #startedMs = performance.now();
  readonly #report: SendReport = {
    response: null,
    error: null,
    remoteIp: null,
    tls: null,
    timings: { dnsMs: null, connectMs: null, tlsMs: null, firstByteMs: null, totalMs: 0 },
  };
  #phaseMs = this.#startedMs;

  constructor(options: OutboundOptions, trust: SecureContext, connections: KeptConnections) {
    this.#options = options;
    this.#trust = trust;
    this.#connections = connections;
  }

  async run(message: OutboundMessage): Promise<SendReport> {
    const total = AbortSignal.timeout(this.#options.totalTimeoutMs ?? TOTAL_TIMEOUT_MS);
    try {
      const target = readTarget(this.#options.policy, message.url);
      if ('broken' in target) throw new SendFailure('blocked_address');
      await this.#deliver(target, message, total);
    } catch (error) {
      this.#report.error = toSendFailure(error, 'reset').code;
    }
    this.#report.timings.totalMs = Math.round(performance.now() - this.#startedMs);
    return this.#report;
  }

  async #deliver(target: Target, message: OutboundMessage, total: AbortSignal): Promise<void> {
    const { connectionKey } = message;
    const key = connectionKey === undefined ? null : `${connectionKey} ${target.secure} ${target.hostHeader}`;
    const kept = key === null ? null : this.#connections.take(key);
    if (kept && (await this.#sendAgain(kept, target, message, total))) return this.#keep(key, kept);
    const socket = await this.#open(target);
    const { remoteIp, tls } = this.#report;
    const http = createHttpConnection(socket, target, key !== null);
    const opened: KeptConnection = { http, remoteIp, tls, openedAtMs: performance.now() };
    if (key !== null) http.onClose(() => this.#connections.remove(key, opened));
    try {
      await this.#send(opened, target, message, total);
    } finally {
      this.#keep(key, opened);
    }
  }

  #keep(key: string | null, connection: KeptConnection): void {
    if (key === null) connection.http.close();
    else this.#connections.put(key, connection);
  }

  /** False: the server closed the connection before it responded, so the message may be sent once more, on a new one. */
  async #sendAgain(kept: KeptConnection, target: Target, message: OutboundMessage, total: AbortSignal): Promise<boolean> {
    Object.assign(this.#report, { remoteIp: kept.remoteIp, tls: kept.tls });
    try {
      await this.#send(kept, target, message, total);
      return true;
    } catch (error) {
      kept.http.close();
      const isEarly = performance.now() - this.#startedMs < SEND_AGAIN_WITHIN_MS;
      if (toSendFailure(error, 'reset').code !== 'reset' || !isEarly) throw error;
      Object.assign(this.#report, { remoteIp: null, tls: null });
      this.#lap();
      return false;
    }
  }

  /** Resolves, vets every address, connects to a vetted one and starts TLS. */
  async #open(target: Target): Promise<Socket> {
    const { policy, resolve = resolveByDns, connectTimeoutMs = CONNECT_TIMEOUT_MS } = this.#options;
    const startedMs = performance.now();
    const signal = AbortSignal.timeout(connectTimeoutMs);
    const { timings } = this.#report;
    const addresses = await addressesOf(resolve, target, signal);
    timings.dnsMs = this.#lap();
    if (!mayDial(policy, target, addresses)) throw new SendFailure('blocked_address');
    const remainingMs = startedMs + connectTimeoutMs - performance.now();
    const socket = await connectTo(target, addresses, { signal, remainingMs });
    this.#report.remoteIp = socket.remoteAddress ?? null;
    timings.connectMs = this.#lap();
    if (!target.secure) return socket;
    const encrypted = await startTls(socket, target, this.#trust, signal).catch((error: unknown) => {
      socket.destroy();
      throw error;
    });
    this.#report.tls = encrypted.getProtocol();
    timings.tlsMs = this.#lap();
    return encrypted;
  }

  async #send({ http }: KeptConnection, target: Target, message: OutboundMessage, total: AbortSignal): Promise<void> {
    const { secretHeaders = {}, body } = message;
    const own = { 'user-agent': this.#options.userAgent, 'accept-encoding': 'identity', accept: '*/*' };
    const headers = { ...secretHeaders, ...message.headers, ...own };
    const { firstByteAtMs, ...response } = await http.post({ path: target.path, headers, body }, total);
    this.#report.response = maskValues(response, Object.values(secretHeaders));
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
  const connections = new KeptConnections();
  return {
    post: (message) => new Attempt(options, trust, connections).run(message),
    close: () => connections.close(),
  };
};
