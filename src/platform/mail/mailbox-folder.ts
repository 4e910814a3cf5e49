import { mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Mailer, MailFailure } from './mailer.ts';
import { type MailAddress, toMessage } from './message.ts';

export interface MailboxSettings {
  folder: string;
  from: MailAddress;
  /** The oldest mails beyond this number are deleted. */
  maxMails?: number;
}

const MAX_MAILS = 1_000;
/** The folder is listed once per so many mails. */
const PRUNE_EVERY = 50;

const prune = async (folder: string, maxMails: number): Promise<void> => {
  const mails = (await readdir(folder)).filter((name) => name.endsWith('.eml')).sort();
  for (const name of mails.slice(0, Math.max(mails.length - maxMails, 0))) await rm(join(folder, name), { force: true });
};

/** For installations without a mail server: each mail is a file that mail programs open. Its name begins with the time. */
export const createMailboxFolder = ({ folder, from, maxMails = MAX_MAILS }: MailboxSettings): Mailer => {
  let written = 0;
  return {
    async send(mail) {
      const { createTransport } = await import('nodemailer');
      const transport = createTransport({ streamTransport: true, buffer: true });
      const { message } = await transport.sendMail(toMessage(mail, from));
      try {
        await mkdir(folder, { recursive: true, mode: 0o700 });
        // Ids are ordered by time. A repeated try replaces its file, and nobody sees half a file.
        const path = join(folder, `${mail.id}.eml`);
        await writeFile(`${path}.tmp`, message, { mode: 0o600 });
        await rename(`${path}.tmp`, path);
        if (written++ % PRUNE_EVERY === 0) await prune(folder, maxMails);
      } catch {
        throw new MailFailure('folder_not_writable');
      }
    },
  };
};
