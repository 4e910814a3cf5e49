import { SECOND_MS } from '../clock.ts';
import type { Mailer } from './mailer.ts';
import { type MailAddress, toMessage } from './message.ts';
import { toMailFailure } from './smtp-failure.ts';

export interface SmtpSettings {
  /** smtp: (TLS by STARTTLS, optional on this machine) or smtps:, with user and password. */
  url: string;
  from: MailAddress;
  /** Of one try, from the connection to the server's last reply. */
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
