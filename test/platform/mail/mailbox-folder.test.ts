import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import PostalMime from 'postal-mime';
import { createMailboxFolder } from '../../../src/platform/mail/mailbox-folder.ts';
import { unique } from '../../support/factories.ts';

let parent: string;
beforeAll(async () => {
  parent = await mkdtemp(join(tmpdir(), 'tributary-mailbox-'));
});
afterAll(() => rm(parent, { recursive: true, force: true }));

const FROM = { name: 'Tributary', address: 'tributary@localhost' };

const mailOf = (id: string) => ({
  id,
  messageId: `<${id}@localhost>`,
  to: 'ada@example.com',
  subject: 'You were paid',
  html: '<p>20.00 USD</p>',
  text: '20.00 USD\n',
  createdAt: new Date(),
  unsubscribeUrl: null,
});

it('each mail is a whole file that mail programs read; a repeated try replaces its file', async () => {
  const folder = join(parent, unique());
  const mailbox = createMailboxFolder({ folder, from: FROM });
  await mailbox.send(mailOf('1'));
  await mailbox.send(mailOf('1'));
  await mailbox.send(mailOf('2'));
  expect((await readdir(folder)).sort()).toEqual(['1.eml', '2.eml']);
  const mail = await PostalMime.parse(await readFile(join(folder, '1.eml')));
  expect(mail).toMatchObject({ messageId: '<1@localhost>', subject: 'You were paid', to: [{ address: 'ada@example.com' }] });
});

it('keeps the newest mails only', async () => {
  const folder = join(parent, unique());
  const send = async (from: number, to: number) => {
    const mailbox = createMailboxFolder({ folder, from: FROM, maxMails: 5 });
    for (let n = from; n < to; n++) await mailbox.send(mailOf(String(n)));
  };
  await send(100, 110);
  await send(110, 111);
  expect((await readdir(folder)).sort()).toEqual(['106.eml', '107.eml', '108.eml', '109.eml', '110.eml']);
});

it('a folder that cannot be written is a failure that passes', async () => {
  const folder = join(parent, unique());
  await writeFile(folder, 'a file');
  const sent = createMailboxFolder({ folder, from: FROM }).send(mailOf('1'));
  await expect(sent).rejects.toMatchObject({ error: 'folder_not_writable', smtpCode: null });
});
