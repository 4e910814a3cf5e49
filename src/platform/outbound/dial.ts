import { connect, isIP, type Socket } from 'node:net';
import { connect as connectTls, type SecureContext, type TLSSocket } from 'node:tls';
import type { DeliveryError } from '../../contracts/webhooks.ts';
import { canonicalAddress } from './address-rules.ts';
import { failureOf, SendFailure } from './send-failure.ts';
import type { Target } from './url-rules.ts';

const PHASE_FAULT = { connect: 'reset', secureConnect: 'tls_invalid' } as const;

/** Waits for the event, at most until the deadline; a socket that did not get there is destroyed. */
const reached = (socket: Socket, event: 'connect' | 'secureConnect', untilMs: number, late: DeliveryError): Promise<void> =>
  new Promise((resolve, reject) => {
    const fail = (error: unknown): void => {
      settle();
      socket.destroy();
      reject(failureOf(error, PHASE_FAULT[event]));
    };
    const closed = (): void => fail(new SendFailure('reset'));
    const done = (): void => {
      settle();
      resolve();
    };
    const timer = setTimeout(() => fail(new SendFailure(late)), Math.max(0, untilMs - performance.now()));
    const settle = (): void => {
      clearTimeout(timer);
      socket.off(event, done).off('error', fail).off('close', closed);
    };
    socket.once(event, done).once('error', fail).once('close', closed);
  });

/** What a socket says after its phase is over has no other listener, and would end the process. */
const quiet = <S extends Socket>(socket: S): S => socket.on('error', () => {});

const dialOne = async (address: string, port: number, untilMs: number): Promise<Socket> => {
  const socket = quiet(connect({ host: address, port, noDelay: true }));
  await reached(socket, 'connect', untilMs, 'connect_timeout');
  if (canonicalAddress(socket.remoteAddress ?? '') !== canonicalAddress(address)) {
    socket.destroy();
    throw new SendFailure('blocked_address');
  }
  return socket;
};

/** Most addresses that one attempt tries. */
const MAX_DIALS = 4;

/** The first of the vetted addresses that answers. Each gets an equal share of the time that is left. */
export const dial = async (addresses: readonly string[], port: number, untilMs: number): Promise<Socket> => {
  const candidates = addresses.slice(0, MAX_DIALS);
  let last = new SendFailure('connect_timeout');
  for (const [index, address] of candidates.entries()) {
    const now = performance.now();
    const share = now + (untilMs - now) / (candidates.length - index);
    try {
      return await dialOne(address, port, share);
    } catch (error) {
      last = failureOf(error, 'reset');
    }
  }
  throw last;
};

/** TLS with the name of the URL; nothing is sent before the certificate has been checked. */
export const secure = async (
  socket: Socket,
  target: Target,
  secureContext: SecureContext,
  untilMs: number,
): Promise<TLSSocket> => {
  const encrypted = quiet(
    connectTls({
      socket,
      host: target.host,
      ...(isIP(target.host) === 0 ? { servername: target.host } : {}),
      secureContext,
      ALPNProtocols: ['http/1.1'],
      rejectUnauthorized: true,
    }),
  );
  await reached(encrypted, 'secureConnect', untilMs, 'tls_timeout');
  return encrypted;
};
