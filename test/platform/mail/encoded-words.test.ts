import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import PostalMime from 'postal-mime';
import { oneLine, plain } from '../../../src/domains/notifications/mail-content.rules.ts';
import { createMailboxFolder } from '../../../src/platform/mail/mailbox-folder.ts';
import { unique } from '../../support/factories.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tributary-words-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** The subject that a mail program shows, and the address that it names as the recipient. */
const readBack = async (subject: string, to = 'ada@example.com') => {
  const id = unique();
  const mailbox = createMailboxFolder({ folder, from: { name: 'Tributary', address: 'tributary@localhost' } });
  await mailbox.send({
    ...{
      id,
      messageId: `<${id}@localhost>`,
      to,
      subject,
      html: '<p>x</p>',
      text: 'x',
      createdAt: new Date(),
      unsubscribeUrl: null,
    },
  });
  const mail = await PostalMime.parse(await readFile(join(folder, `${id}.eml`)));
  return { subject: mail.subject, to: mail.to?.map(({ address }) => address) };
};

const BASE64 = `=?utf-8?B?${Buffer.from('Your bank asks you to sign in').toString('base64')}?=`;
const QUOTED = '=?utf-8?Q?Pay_now?=';

test.each([
  BASE64,
  QUOTED,
  `Acme ${QUOTED}`,
  '=\u00ad?utf-8?Q?Pay?=',
  '=\u200b?utf-8?Q?Pay?\u202e=',
  '==??utf-8?Q?Pay?==',
  '=?=?utf-8?Q?Pay?=',
])('NS9: the name %j is shown as it is written, not as what it encodes', async (name) => {
  for (const clean of [plain, oneLine]) {
    const subject = `${clean(name)} invites you`;
    expect(await readBack(subject)).toMatchObject({ subject });
    expect(subject).toContain('utf-8');
  }
});

test('NS9: a subject without the cleaning would be decoded', async () => {
  expect((await readBack(`${QUOTED} invites you`)).subject).toBe('Pay now invites you');
});

test('NS9: no text contains the start of an encoded word', () => {
  const text = fc.string({ unit: fc.constantFrom(...'=?utf-8BQ_ \u00ad\u200b\u202e\n\u00e9'), maxLength: 90 });
  fc.assert(fc.property(text, (name) => expect(`${plain(name)}\n${oneLine(name)}`).not.toContain('=?')));
});

test.each([
  '"ada, eve"@example.com',
  '"a@b"@example.com',
  'ada..b@example.com',
  "o'hara+x@example.com",
  'ada@xn--bcher-kva.example',
])('BR2: a mail to %s goes to this address only', async (to) => {
  const { to: recipients } = await readBack('Hello', to);
  expect(recipients).toHaveLength(1);
  expect(recipients?.[0]?.replaceAll('"', '')).toBe(to.replaceAll('"', ''));
});
