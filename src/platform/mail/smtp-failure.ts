import { MailFailure } from './mailer.ts';

/** What nodemailer attaches to its errors. */
interface SmtpError {
  name?: unknown;
  code?: unknown;
  /** Of the system, when `code` is nodemailer's own. */
  originalCode?: unknown;
  /** The command that failed, such as "RCPT TO". */
  command?: unknown;
  responseCode?: unknown;
}

const BY_CODE: Readonly<Record<string, MailFailure['error']>> = {
  EAUTH: 'login_refused',
  ENOAUTH: 'login_refused',
  EOAUTH2: 'login_refused',
  ETLS: 'tls_failed',
  ETIMEDOUT: 'timeout',
  EABORT: 'timeout',
  EDNS: 'connection_failed',
  ECONNREFUSED: 'connection_failed',
  ENOTFOUND: 'connection_failed',
  EHOSTUNREACH: 'connection_failed',
  ENETUNREACH: 'connection_failed',
  ECONNECTION: 'connection_lost',
  ESOCKET: 'connection_lost',
  EPROTOCOL: 'connection_lost',
};

/** Commands about the recipient and the message; a rejection of any other concerns the whole installation. */
const FINAL: Readonly<Record<string, MailFailure['error']>> = { 'RCPT TO': 'address_refused', DATA: 'message_refused' };

/**
 * Classifies an error of one SMTP connection. Final is only what a server refuses permanently for this address or this
 * message: a wrong login or sender is corrected by the operator, and everything else passes.
 */
export const toMailFailure = (error: unknown): MailFailure => {
  const { code, originalCode, command, responseCode } = (error ?? {}) as SmtpError;
  const smtpCode = typeof responseCode === 'number' ? responseCode : null;
  if (code === 'EAUTH' || code === 'ETLS') return new MailFailure(BY_CODE[code] ?? 'internal_error', smtpCode);
  if (smtpCode !== null) {
    const isPermanent = smtpCode >= 500;
    return new MailFailure(isPermanent ? (FINAL[String(command)] ?? 'sender_refused') : 'refused_for_now', smtpCode);
  }
  return new MailFailure(BY_CODE[String(originalCode)] ?? BY_CODE[String(code)] ?? 'internal_error');
};
