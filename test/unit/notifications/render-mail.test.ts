import fc from 'fast-check';
import { createTransport } from 'nodemailer';
import PostalMime from 'postal-mime';
import type { StoredMail } from '../../../src/domains/notifications/mail-content.rules.ts';
import { plain, withUrls } from '../../../src/domains/notifications/mail-content.rules.ts';
import { activityMail } from '../../../src/domains/notifications/mails/merchant-mails.ts';
import { detailsRejectedMail, payoutCompletedMail } from '../../../src/domains/notifications/mails/payout-mails.ts';
import { renderMail } from '../../../src/domains/notifications/render-mail.rules.ts';
import { toMessage } from '../../../src/platform/mail/message.ts';
import { MAIL_SAMPLES } from '../../support/mail-samples.ts';

const HOSTILE =
  'Acme\r\nBcc: victim@example.com\r\n\r\n<script>alert(1)</script><img src="https://evil.example/x.png">\u202E"&\'';

const HOME = 'https://tributary.example';

const paidBy = (companyName: string, programName = companyName): StoredMail =>
  withUrls(
    payoutCompletedMail(
      { payoutId: '1', amount: 2_000, currency: 'usd', method: 'paypal', companyName, programName },
      { remittance: `${HOME}/files/remittances/1` },
    ),
    HOME,
  );

/** What a browser shows of the HTML. */
const textOf = (html: string): string =>
  html
    .replace(/<title>.*?<\/title>/s, '')
    .replace(/<[^>]+>/g, ' ')
    .replace(/&lt;/g, '<')
    .replace(/&gt;/g, '>')
    .replace(/&quot;/g, '"')
    .replace(/&#39;/g, "'")
    .replace(/&amp;/g, '&');

const wordsOf = (text: string): string[] => text.split(/\s+/).filter((word) => word !== '');

/** Bytes as they are sent. */
const encode = async (content: StoredMail, to = 'ada@example.com'): Promise<string> => {
  const mail = {
    id: '1',
    messageId: '<1@example.com>',
    to,
    createdAt: new Date(0),
    unsubscribeUrl: null,
    ...renderMail(content),
  };
  const transport = createTransport({ streamTransport: true, buffer: true });
  const { message } = await transport.sendMail(toMessage(mail, { name: 'Tributary', address: 'mail@example.com' }));
  return message.toString();
};

it.each(Object.entries(MAIL_SAMPLES))('%s: text and HTML say the same, and HTML makes no request', (_name, content) => {
  const { html, text } = renderMail(content);
  const says = (words: string[]) => wordsOf(words.join(' ')).sort();
  const inText = wordsOf(
    text
      .replace(/^- /gm, '')
      .replace(/^-- $/m, '')
      .replace(/^([^:\n]+): /gm, '$1 '),
  );
  const inHtml = wordsOf(textOf(html));
  const labels = content.sections.flatMap(({ facts }) => facts.map(([label]) => label));
  for (const fact of [content.heading, ...content.paragraphs, ...content.steps, content.footer, ...labels]) {
    expect(says(inText)).toEqual(expect.arrayContaining(says([fact.replace(/^([^:\n]+): /, '$1 ')])));
    expect(says(inHtml)).toEqual(expect.arrayContaining(says([fact])));
  }
  for (const [, value] of content.sections.flatMap(({ facts }) => facts)) {
    expect(text).toContain(value);
    expect(textOf(html)).toContain(value);
  }
  const links = [...html.matchAll(/<a href="([^"]*)"/g)].map(([, url = '']) => url.replaceAll('&amp;', '&'));
  expect(links).toEqual([...content.steps, content.footer].flatMap((said) => /(?<=: )https:\/\/\S+$/.exec(said) ?? []));
  const others = html.replaceAll(/<a href="[^"]*"/g, '<a');
  expect(others).not.toMatch(/\b(src|href|background|action)\s*=|url\(|@import|<(script|img|link|iframe|form|object|svg)\b/i);
  expect(content.subject).not.toMatch(/[\r\n]/);
});

it('names that others chose cannot add headers, recipients, elements or directions', async () => {
  const content = paidBy(HOSTILE);
  const raw = await encode(content);
  const mail = await PostalMime.parse(raw);
  expect(mail.to).toEqual([{ name: '', address: 'ada@example.com' }]);
  expect(mail.cc ?? mail.bcc).toBeUndefined();
  expect(mail.headers.map(({ key }) => key).sort()).toEqual(
    ['auto-submitted', 'content-type', 'date', 'from', 'message-id', 'mime-version', 'subject', 'to'].sort(),
  );
  expect(mail.html).not.toMatch(/<script|<img/);
  expect(mail.subject + renderMail(content).html + renderMail(content).text).not.toContain('\u202E');
});

it('a subject with line breaks stays one header, whatever it holds', async () => {
  await fc.assert(
    fc.asyncProperty(fc.string({ unit: 'grapheme', maxLength: 200 }), async (name) => {
      const subject = `Hello ${name}\r\nBcc: victim@example.com`;
      const raw = await encode({ ...paidBy('Acme'), subject });
      const mail = await PostalMime.parse(raw);
      expect(mail.bcc).toBeUndefined();
      expect(mail.headers.filter(({ key }) => key === 'subject')).toHaveLength(1);
      expect(mail.headers).toHaveLength(8);
    }),
    { numRuns: 100 },
  );
});

it('every name is one escaped line', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 300 }), (name) => {
      const line = plain(name);
      expect(line).not.toMatch(/[\p{Cc}\p{Zl}\p{Zp}\p{Cf}]/u);
      expect([...line].length).toBeLessThanOrEqual(80);
      const { html } = renderMail(paidBy(name));
      const known = new Set((renderMail(paidBy('')).html.match(/<\w+/g) ?? []) as string[]);
      expect((html.match(/<\w+/g) ?? []).filter((tag) => !known.has(tag))).toEqual([]);
    }),
  );
});

it.each([
  ['evil.com', 'evil[.]com'],
  ['cafe\u0301.com', 'cafe\u0301[.]com'],
  ['💩.la', '💩[.]la'],
  ['evil\uFE0F.com', 'evil\uFE0F[.]com'],
  ['evil.\uFE0Fcom', 'evil[.]\uFE0Fcom'],
  ['evil_.com/x', 'evil_[.]com/x'],
  ['evil-.com', 'evil-[.]com'],
  ['उदाहरण.भारत', 'उदाहरण[.]भारत'],
  ['evil。com evil．com evil｡com evil﹒com evil․com', 'evil[.]com evil[.]com evil[.]com evil[.]com evil[.]com'],
  ['1.2.3.4/pay', '1[.]2[.]3[.]4/pay'],
  ['at 10.20.30.40:8080', 'at 10[.]20[.]30[.]40:8080'],
  ['１．２．３．４', '１[.]２[.]３[.]４'],
  ['1.2.3\uFE0F.4', '1[.]2[.]3\uFE0F[.]4'],
  ['http：／／evil', 'http[:]／／evil'],
  ['ada@evil.com ada﹫evil', 'ada[at]evil[.]com ada[at]evil'],
  ['ev\u200Bil\u00AD.\u2060com', 'evil[.]com'],
  ['J. R. R. Tolkien, Ltd.', 'J. R. R. Tolkien, Ltd.'],
  ['Wait... what...ever', 'Wait... what...ever'],
  ['Version 1.2.3, 10.5 %, 1.234', 'Version 1.2.3, 10.5 %, 1.234'],
  ['No. 5 (2026): 9:30 // 10', 'No. 5 (2026): 9:30 // 10'],
])('%j is written as %j in a mail', (name, written) => {
  expect(plain(name)).toBe(written);
});

it('names in the mail about refused payout details become no links', () => {
  const mail = detailsRejectedMail({ method: 'paypal', companyName: 'cafe\u0301.com 1.2.3.4', railReason: 'account_closed' });
  const texts = [mail.subject, mail.heading, ...mail.paragraphs, mail.footer].join();
  expect(texts).toContain('cafe\u0301[.]com 1[.]2[.]3[.]4');
  expect(texts).not.toContain('.com');
});

it('a mail about activity has what the merchant wants to know, and is not written without it', () => {
  const line = (section: 'affiliates' | 'sales' | 'approvals' | 'payouts', count: number, isCapped = false) => ({
    section,
    currency: section === 'affiliates' ? null : 'usd',
    count,
    amount: 24_000,
    isCapped,
  });
  const none = {
    newAffiliate: false,
    newConversion: false,
    commissionApproved: false,
    payoutProcessed: false,
    weeklyDigest: true,
  };
  const period = { companyName: 'Acme', timeZone: 'Europe/Berlin', from: new Date(0), to: new Date(3_600_000) };
  const lines = [line('affiliates', 1), line('sales', 3), line('payouts', 1_000, true)];
  expect(activityMail({ ...period, lines, preferences: none })).toBeNull();
  expect(activityMail({ ...period, lines: [], preferences: { ...none, newConversion: true } })).toBeNull();
  const mail = activityMail({ ...period, lines, preferences: { ...none, newConversion: true, payoutProcessed: true } });
  expect(mail?.subject).toBe('Acme: 3 sales through affiliates, more than 1,000 payouts completed');
  expect(mail?.sections[0]?.facts).toEqual([
    ['Sales through affiliates', '3 (240.00 USD)'],
    ['Payouts completed', 'more than 1,000'],
  ]);
  expect(mail?.paragraphs).toEqual(['From Jan 1, 1970, 01:00 to Jan 1, 1970, 02:00 (Europe/Berlin).']);
});
