import { isNativeError } from 'node:util/types';

/** Why a message got no response. `classify-attempt.rules.ts` of webhooks compiles only while each is a delivery error too. */
const SEND_ERRORS = [
  'dns_not_found',
  'dns_timeout',
  'blocked_address',
  'connect_refused',
  'connect_timeout',
  'tls_invalid',
  'tls_expired',
  'tls_name',
  'tls_timeout',
  'reset',
  'timeout_headers',
  'timeout_body',
  'bad_response',
] as const;
export type SendError = (typeof SEND_ERRORS)[number];

/** The code is all that is reported: messages of system errors contain private addresses. */
export class SendFailure extends Error {
  readonly code: SendError;

  constructor(code: SendError) {
    super(code);
    this.name = 'SendFailure';
    this.code = code;
  }
}

const CODES: Readonly<Record<string, SendError>> = {
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
  UND_ERR_HEADERS_OVERFLOW: 'bad_response',
};

const TLS_ERROR = /^(ERR_SSL|ERR_TLS|EPROTO|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO|HOSTNAME_MISMATCH|INVALID_CA|INVALID_PURPOSE)/;

/** Maps an error of Node or undici. `fallback` is the code for unknown errors of the current phase. */
export const toSendFailure = (error: unknown, fallback: SendError): SendFailure => {
  if (error instanceof SendFailure) return error;
  if (!isNativeError(error)) return new SendFailure(fallback);
  // undici reports an unrequested protocol switch as a socket error, and parser errors without a code.
  if (error.name === 'HTTPParserError' || error.message === 'bad upgrade') return new SendFailure('bad_response');
  const code = (error as NodeJS.ErrnoException).code ?? '';
  return new SendFailure(CODES[code] ?? (TLS_ERROR.test(code) ? 'tls_invalid' : fallback));
};
