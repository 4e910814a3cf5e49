import { once } from 'node:events';
import { connect, isIP, type LookupFunction, type Socket } from 'node:net';
import { connect as connectTls, type SecureContext, type TLSSocket } from 'node:tls';
import { canonicalAddress } from './address-rules.ts';
import { type SendError, SendFailure, toSendFailure } from './send-failure.ts';
import type { Target } from './url-rules.ts';

const MAX_ADDRESSES = 4;

interface Phase {
  event: 'connect' | 'secureConnect';
  timeout: SendError;
  fallback: SendError;
}

const CONNECT: Phase = { event: 'connect', timeout: 'connect_timeout', fallback: 'reset' };
const HANDSHAKE: Phase = { event: 'secureConnect', timeout: 'tls_timeout', fallback: 'tls_invalid' };

/** Resolves when the phase is done; otherwise the socket is destroyed. */
const completed = async (socket: Socket, phase: Phase, signal: AbortSignal): Promise<void> => {
  // Stays for good: an error without a listener would end the process.
  socket.on('error', () => {});
  try {
    await once(socket, phase.event, { signal });
  } catch (error) {
    socket.destroy();
    throw signal.aborted ? new SendFailure(phase.timeout) : toSendFailure(error, phase.fallback);
  }
};

/**
 * Connects to the first of the vetted addresses that accepts; each gets an equal share of `remainingMs`. No name is
 * resolved here, so the address that was vetted is the address that is dialed.
 */
export const connectTo = async (
  target: Target,
  addresses: readonly string[],
  deadline: { signal: AbortSignal; remainingMs: number },
): Promise<Socket> => {
  const vetted = addresses.slice(0, MAX_ADDRESSES).map((address) => ({ address, family: isIP(address) }));
  const lookup: LookupFunction = (_host, _options, done) => done(null, vetted);
  const socket = connect({
    host: target.host,
    port: target.port,
    lookup,
    noDelay: true,
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: Math.max(10, Math.floor(deadline.remainingMs / vetted.length)),
  });
  await completed(socket, CONNECT, deadline.signal);
  const remote = canonicalAddress(socket.remoteAddress ?? '');
  if (!vetted.some(({ address }) => canonicalAddress(address) === remote)) {
    socket.destroy();
    throw new SendFailure('blocked_address');
  }
  return socket;
};

/** TLS for the host name of the URL. Nothing is sent before the certificate is verified. */
export const startTls = async (
  socket: Socket,
  target: Target,
  secureContext: SecureContext,
  signal: AbortSignal,
): Promise<TLSSocket> => {
  const encrypted = connectTls({
    socket,
    host: target.host,
    ...(isIP(target.host) === 0 ? { servername: target.host } : {}),
    secureContext,
    ALPNProtocols: ['http/1.1'],
    rejectUnauthorized: true,
  });
  await completed(encrypted, HANDSHAKE, signal);
  return encrypted;
};
