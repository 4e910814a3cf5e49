import type { DeliveryError } from '../../contracts/webhooks.ts';

/** A send that got no answer. The code is all that is told: texts of the system name inner addresses. */
export class SendFailure extends Error {
  readonly code: DeliveryError;

  constructor(code: DeliveryError) {
    super(code);
    this.name = 'SendFailure';
    this.code = code;
  }
}

const CODES: Readonly<Record<string, DeliveryError>> = {
  ECONNREFUSED: 'connect_refused',
  EHOSTUNREACH: 'connect_refused',
  ENETUNREACH: 'connect_refused',
  EADDRNOTAVAIL: 'connect_refused',
  EACCES: 'connect_refused',
  EPERM: 'connect_refused',
  ETIMEDOUT: 'connect_timeout',
  ECONNRESET: 'reset',
  EPIPE: 'reset',
  CERT_HAS_EXPIRED: 'tls_expired',
  ERR_TLS_CERT_ALTNAME_INVALID: 'tls_name',
};

const TLS_FAULT = /^(ERR_SSL|ERR_TLS|EPROTO|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO|HOSTNAME_MISMATCH|INVALID_CA|INVALID_PURPOSE)/;

/** The word for an error of the system. `fallback` names the phase in which an unknown one happened. */
export const failureOf = (error: unknown, fallback: DeliveryError): SendFailure => {
  if (error instanceof SendFailure) return error;
  const code = (error as { code?: unknown } | null)?.code;
  if (typeof code !== 'string') return new SendFailure(fallback);
  if (code.startsWith('HPE_')) return new SendFailure('bad_response');
  return new SendFailure(CODES[code] ?? (TLS_FAULT.test(code) ? 'tls_invalid' : fallback));
};
