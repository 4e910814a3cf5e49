import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import PostalMime, { type Email } from 'postal-mime';
import { until } from '../until.ts';

export interface ReceivedMail extends Email {
  /** Recipients in the envelope. */
  recipients: string[];
  raw: string;
}

export interface FakeSmtpServer {
  /** Used as SMTP_URL. */
  url: string;
  port: number;
  /** Mails that were accepted for an address, oldest first. */
  mailsTo(address: string): Promise<ReceivedMail[]>;
  /** Waits for a number of mails to an address. */
  waitForMails(address: string, count?: number): Promise<ReceivedMail[]>;
  stop(): Promise<void>;
}

type Message = { type: 'ready'; port: number } | { type: 'mail'; to: string[]; raw: string };

const PROGRAM = fileURLToPath(new URL('smtp-program.ts', import.meta.url));

/** Starts the mail server of tests as a child process. */
export const startSmtpServer = async (): Promise<FakeSmtpServer> => {
  const child = fork(PROGRAM, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'], execArgv: [] });
  const mails: { to: string[]; raw: string }[] = [];
  const port = await new Promise<number>((resolve, reject) => {
    child.once('exit', () => reject(new Error('the mail server did not start')));
    child.on('message', (message: Message) => {
      if (message.type === 'ready') resolve(message.port);
      else mails.push(message);
    });
  });
  const mailsTo = (address: string): Promise<ReceivedMail[]> =>
    Promise.all(
      mails
        .filter(({ to }) => to.includes(address))
        .map(async ({ to, raw }) => ({ ...(await PostalMime.parse(raw)), recipients: to, raw })),
    );
  return {
    url: `smtp://127.0.0.1:${port}`,
    port,
    mailsTo,
    waitForMails: (address, count = 1) =>
      until(
        `${address} has ${count} mails`,
        () => mailsTo(address),
        (found) => found.length >= count,
      ),
    async stop() {
      const ended = new Promise((resolve) => child.once('exit', resolve));
      if (child.connected) child.disconnect();
      else child.kill();
      await ended;
    },
  };
};
