import { readdirSync, readFileSync } from 'node:fs';
import { GUIDES } from '../../../src/api/guides.ts';
import { PAGES } from '../../../src/console/pages/index.ts';
import { MAIL_CONTENTS, MAIL_SAMPLES } from '../../support/mail-samples.ts';

const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/;
/** A call of the API, a parameter of its path, and ids of actors and objects. */
const FOR_DEVELOPERS = new RegExp(`\\b(GET|POST|PUT|PATCH|DELETE) \\W?[/…]|\\{\\w+\\}|\\b(key|person|system):\\w|${UUID.source}`);

/** Addresses are followed, and not read. */
const readText = (text: string): string => text.replaceAll(/https?:\/\/\S+/g, '');

it.each(Object.entries(MAIL_SAMPLES))('IN16: no API call and no id in the mail %s', (_name, { steps, sections, ...mail }) => {
  const said = [mail.subject, mail.heading, ...mail.paragraphs, ...steps, mail.footer];
  const facts = sections.flatMap(({ title, facts }) => [title ?? '', ...facts.flat()]);
  expect([...said, ...facts].map(readText).filter((text) => FOR_DEVELOPERS.test(text))).toEqual([]);
});

const withoutIds = (page: string): string => page.replace(/\?.*/, '').replace(UUID, '{id}');

it('IN16: every page that a mail links exists', () => {
  const known = new Set<string>([...PAGES.map(({ path }) => path), ...GUIDES.map((name) => `/docs/guides/${name}.md`)]);
  const linked = Object.entries(MAIL_CONTENTS).flatMap(([name, { steps, footer }]) =>
    [...steps, footer].flatMap((part) => (typeof part === 'string' ? [] : [`${name}: ${withoutIds(part.page)}`])),
  );
  expect(linked.length).toBeGreaterThan(30);
  expect(linked.filter((of) => !known.has(of.replace(/^.*: /, '')))).toEqual([]);
});

const FOLDER = 'src/domains/notifications/mails';
const sourceOf = (path: string): string => readFileSync(path, 'utf8');

it('IN16: there is a sample of every mail', () => {
  const samples = sourceOf('test/support/mail-samples.ts');
  const templates = readdirSync(FOLDER).flatMap((file) =>
    [...sourceOf(`${FOLDER}/${file}`).matchAll(/^export const (\w+Mail) = /gm)].map(([, name = '']) => name),
  );
  expect(templates.length).toBeGreaterThan(40);
  expect(templates.filter((name) => !new RegExp(`\\b${name}\\(`).test(samples))).toEqual([]);
});
