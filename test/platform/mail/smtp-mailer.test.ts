import type { AddressInfo } from 'node:net';
import { createServer, type Server } from 'node:net';
import { MailFailure } from '../../../src/platform/mail/mailer.ts';
import { parseAddress } from '../../../src/platform/mail/message.ts';
import { createSmtpMailer } from '../../../src/platform/mail/smtp-mailer.ts';
import { unique } from '../../support/factories.ts';
import { type FakeSmtpServer, startSmtpServer } from '../../support/smtp/smtp-server.ts';

let server: FakeSmtpServer;
beforeAll(async () => {
  server = await startSmtpServer();
});
afterAll(() => server?.stop());

const FROM = { name: 'Tributary', address: 'mail@example.com' };

const mailTo = (mode: string) => ({
  id: unique(),
  messageId: `<${unique()}@example.com>`,
  to: `${mode}+${unique()}@example.com`,
  subject: 'Zahlung über 5 €',
  html: '<p>Grüße</p>',
  text: 'Grüße\n',
  createdAt: new Date('2026-03-01T10:00:00Z'),
  unsubscribeUrl: null,
});

const failureOf = async (mail: ReturnType<typeof mailTo>, url = server.url): Promise<MailFailure> => {
  const failure = await createSmtpMailer({ url, from: FROM, deadlineMs: 2_000 })
    .send(mail)
    .then(
      () => null,
      (error: unknown) => error,
    );
  if (!(failure instanceof MailFailure)) throw new Error(`no mail failure: ${String(failure)}`);
  expect(failure.message + String(failure.stack)).not.toContain(mail.to);
  return failure;
};

it('sends a message with HTML and text under the given Message-ID, to one recipient', async () => {
  const mail = mailTo('ok');
  await createSmtpMailer({ url: server.url, from: FROM }).send(mail);
  const [received, ...more] = await server.waitForMails(mail.to);
  expect(more).toEqual([]);
  expect(received).toMatchObject({
    messageId: mail.messageId,
    subject: mail.subject,
    from: FROM,
    to: [{ address: mail.to }],
    recipients: [mail.to],
    date: '2026-03-01T10:00:00.000Z',
  });
  expect(received?.html?.trim()).toBe(mail.html);
  expect(received?.text?.trim()).toBe(mail.text.trim());
  expect(received?.raw).toMatch(/^Auto-Submitted: auto-generated\r?$/m);
});

it.each([
  ['refuse', 'address_refused', 550],
  ['policy', 'sender_refused', 550],
  ['refuse-text', 'message_refused', 554],
  ['later', 'refused_for_now', 450],
  ['drop-before', 'connection_lost', null],
  ['lose-reply', 'connection_lost', null],
  ['hang', 'timeout', null],
])('a mail server that does "%s" is reported as %s, without the address', async (mode, error, smtpCode) => {
  expect(await failureOf(mailTo(mode))).toMatchObject({ error, smtpCode });
});

it('a mail whose connection ends after the reply is sent', async () => {
  const mail = mailTo('drop-after');
  await createSmtpMailer({ url: server.url, from: FROM }).send(mail);
  expect(await server.waitForMails(mail.to)).toHaveLength(1);
});

it('nothing is sent in clear to a server that is not on this machine', async () => {
  const mail = mailTo('ok');
  // Leads to this machine, but does not say so.
  expect(await failureOf(mail, `smtp://127.1:${server.port}`)).toMatchObject({ error: 'tls_failed' });
  expect(await server.mailsTo(mail.to)).toEqual([]);
});

it('a server that cannot be reached, and one that never ends its greeting, are reported in time', async () => {
  const dripping: Server = createServer((socket) => {
    const timer = setInterval(() => socket.write('220-wait\r\n'), 100);
    socket.on('close', () => clearInterval(timer));
    socket.on('error', () => {});
  });
  await new Promise<void>((resolve) => dripping.listen(0, '127.0.0.1', resolve));
  const { port } = dripping.address() as AddressInfo;
  expect(await failureOf(mailTo('ok'), `smtp://127.0.0.1:${port}`)).toMatchObject({ error: 'timeout' });
  const closed = new Promise((resolve) => dripping.close(resolve));
  await closed;
  expect(await failureOf(mailTo('ok'), `smtp://127.0.0.1:${port}`)).toMatchObject({ error: 'connection_failed' });
});

it.each([
  ['Tributary <mail@example.com>', { name: 'Tributary', address: 'mail@example.com' }],
  ['mail@example.com', { name: '', address: 'mail@example.com' }],
  ['<mail@example.com>', { name: '', address: 'mail@example.com' }],
  ['mail@example.com, other@example.com', null],
  ['Tributary <mail@example.com>\nBcc: other@example.com', null],
  ['Tributary', null],
  ['', null],
])('reads the sender %j', (text, expected) => {
  expect(parseAddress(text)).toEqual(expected);
});
