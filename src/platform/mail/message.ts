import type { OutgoingMail } from './mailer.ts';

/**
 * The fields of nodemailer's message. Addresses are objects and the envelope is explicit: text that was chosen by others is
 * never parsed as a list of addresses or as a header.
 */
export const toMessage = (mail: OutgoingMail, from: MailAddress) => ({
  messageId: mail.messageId,
  date: mail.createdAt,
  from,
  to: { name: '', address: mail.to },
  envelope: { from: from.address, to: [mail.to] },
  subject: mail.subject,
  text: mail.text,
  html: mail.html,
  headers: {
    // Receivers answer it without an automatic reply.
    'Auto-Submitted': 'auto-generated',
    // Mail programs show a button for it (RFC 8058).
    ...(mail.unsubscribeUrl === null
      ? {}
      : { 'List-Unsubscribe': `<${mail.unsubscribeUrl}>`, 'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click' }),
  },
  disableFileAccess: true,
  disableUrlAccess: true,
});

export interface MailAddress {
  name: string;
  address: string;
}

const PATTERN = /^(?:(?<name>[^<>\p{Cc}]*)<(?<bracketed>[^<>\s@]+@[^<>\s@]+)>|(?<plain>[^<>\s@]+@[^<>\s@]+))$/u;

/** "Tributary <mail@example.com>" or "mail@example.com". Null: malformed. */
export const parseAddress = (text: string): MailAddress | null => {
  const found = PATTERN.exec(text)?.groups;
  const address = found?.['bracketed'] ?? found?.['plain'];
  return address === undefined ? null : { name: found?.['name']?.trimEnd() ?? '', address };
};
