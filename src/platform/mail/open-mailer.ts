import { invariant } from '../errors.ts';
import { createMailboxFolder } from './mailbox-folder.ts';
import type { Mailer } from './mailer.ts';
import { parseAddress } from './message.ts';
import { createSmtpMailer } from './smtp-mailer.ts';

export interface MailSettings {
  /** Undefined: mails go to the folder. */
  smtpUrl: string | undefined;
  from: string;
  folder: string;
}

export const openMailer = ({ smtpUrl, from: text, folder }: MailSettings): Mailer => {
  const from = parseAddress(text);
  invariant(from, 'the configuration accepts only well-formed addresses');
  return smtpUrl === undefined ? createMailboxFolder({ folder, from }) : createSmtpMailer({ url: smtpUrl, from });
};
