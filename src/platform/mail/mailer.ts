import type { MailError } from '../../contracts/mail.ts';

export interface OutgoingMail {
  /** A UUID. Names the file of a mail in a local mailbox. */
  id: string;
  /** The same on every try, so that a receiver can recognize a repeated mail. */
  messageId: string;
  /** One address. */
  to: string;
  subject: string;
  html: string;
  text: string;
  createdAt: Date;
  /** Ends the subscription that the mail belongs to. Null: it belongs to none. */
  unsubscribeUrl: string | null;
}

/** Resolves once the mail was accepted, and rejects with a `MailFailure`. One call is one try, with a deadline. */
export interface Mailer {
  send(mail: OutgoingMail): Promise<void>;
}

/** Has no message of the mail server: it may quote the address. */
export class MailFailure extends Error {
  readonly error: MailError;
  readonly smtpCode: number | null;

  constructor(error: MailError, smtpCode: number | null = null) {
    super(smtpCode === null ? error : `${error} (${smtpCode})`);
    this.name = 'MailFailure';
    this.error = error;
    this.smtpCode = smtpCode;
  }
}
