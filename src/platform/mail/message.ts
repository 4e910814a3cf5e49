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
  // Receivers answer it without an automatic reply.
  headers: { 'Auto-Submitted': 'auto-generated' },
  disableFileAccess: true,
  disableUrlAccess: true,
});

export interface MailAddress {
  name: string;
  address: string;
}

const PATTERN = /^(?:(?<name>[^<>\p{Cc}]*?) *<(?<bracketed>[^<>\s@]+@[^<>\s@]+)>|(?<plain>[^<>\s@]+@[^<>\s@]+))$/u;

/** "Tributary <mail@example.com>" or "mail@example.com". Null: malformed. */
export const parseAddress = (text: string): MailAddress | null => {
  const found = PATTERN.exec(text)?.groups;
  const address = found?.['bracketed'] ?? found?.['plain'];
  return address === undefined ? null : { name: found?.['name'] ?? '', address };
};
