import { SECOND_MS } from '../clock.ts';
import { type Mailer, MailFailure } from './mailer.ts';
import { type MailAddress, toMessage } from './message.ts';

interface SmtpSettings {
  /** smtp: (TLS by STARTTLS, optional on this machine) or smtps:, with user and password. */
  url: string;
  from: MailAddress;
  /** Time for one try, from the connection to the server's last reply. */
  deadlineMs?: number;
}

const DEADLINE_MS = 25 * SECOND_MS;
const PHASE_MS = 10 * SECOND_MS;
const LOOPBACK = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;
const PORTS: Readonly<Record<string, number>> = { 'smtp:': 587, 'smtps:': 465 };

const connectionOf = (text: string) => {
  const url = new URL(text);
  const isLocal = LOOPBACK.test(url.hostname);
  return {
    host: url.hostname.replace(/^\[|\]$/g, ''),
    port: Number(url.port) || (PORTS[url.protocol] ?? 587),
    secure: url.protocol === 'smtps:',
    // A password and addresses never cross a network in clear.
    ...(isLocal ? { ignoreTLS: url.protocol === 'smtp:' } : { requireTLS: true }),
    ...(url.username === '' ? {} : { auth: { user: decodeURIComponent(url.username), pass: decodeURIComponent(url.password) } }),
  };
};

/** Each mail has a connection of its own, which ends at the deadline: no server can hold up the mails after it. */
export const createSmtpMailer = ({ url, from, deadlineMs = DEADLINE_MS }: SmtpSettings): Mailer => {
  const options = {
    ...connectionOf(url),
    connectionTimeout: PHASE_MS,
    greetingTimeout: PHASE_MS,
    dnsTimeout: PHASE_MS,
    socketTimeout: deadlineMs,
    disableFileAccess: true,
    disableUrlAccess: true,
  };
  return {
    async send(mail) {
      // Loaded on first use: only workers that serve mails need it.
      const { createTransport } = await import('nodemailer');
      try {
        await createTransport(options).sendMail({ ...toMessage(mail, from), signal: AbortSignal.timeout(deadlineMs) });
      } catch (error) {
        throw toMailFailure(error);
      }
    },
  };
};

/** What nodemailer attaches to its errors. */
interface SmtpError {
  name?: unknown;
  code?: unknown;
  /** Code of the system's error, when `code` is nodemailer's own. */
  originalCode?: unknown;
  /** The command that failed, such as "RCPT TO". */
  command?: unknown;
  responseCode?: unknown;
  /** The reply of the server. */
  response?: unknown;
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
/** The enhanced status code of a rejection that is the server's policy against the sender (RFC 3463), whatever the command. */
const POLICY = /^5\d\d[ -]5\.7\./;
const FINAL: Readonly<Record<string, MailFailure['error']>> = { 'RCPT TO': 'address_refused', DATA: 'message_refused' };

/**
 * Classifies an error of one SMTP connection. Final is only what a server refuses permanently for this address or this
 * message: a wrong login or sender is corrected by the operator, and everything else passes.
 */
const toMailFailure = (error: unknown): MailFailure => {
  const { code, originalCode, command, responseCode, response } = (error ?? {}) as SmtpError;
  const smtpCode = typeof responseCode === 'number' ? responseCode : null;
  if (code === 'EAUTH' || code === 'ETLS') return new MailFailure(BY_CODE[code] ?? 'internal_error', smtpCode);
  if (smtpCode !== null) {
    const isPermanent = smtpCode >= 500;
    if (command === 'RCPT TO' && POLICY.test(String(response))) return new MailFailure('sender_refused', smtpCode);
    return new MailFailure(isPermanent ? (FINAL[String(command)] ?? 'sender_refused') : 'refused_for_now', smtpCode);
  }
  return new MailFailure(BY_CODE[String(originalCode)] ?? BY_CODE[String(code)] ?? 'internal_error');
};
