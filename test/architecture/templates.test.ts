import { statSync } from 'node:fs';
import { join } from 'node:path';
import { operationOf } from '../../src/api/pipeline/call-operation.ts';
import { PAGES } from '../../src/console/pages/index.ts';
import { FOLDER, filesAt, readText } from './project.ts';
import { templateProblems } from './templates.ts';

const CONSOLE = filesAt('src/console/**/*.ts');

test('templates quote every attribute, check every address and run nothing inline', () => {
  const found = CONSOLE.flatMap((path) => templateProblems(readText(path)).map((problem) => `${path} ${problem}`));
  expect(found).toEqual([]);
});

/** `%{x}` in the examples below is a placeholder. */
const template = (text: string): string => `const page = html\`${text.replaceAll('%{', '${')}\`;`;

test.each([
  ['an attribute without quotes', '<a title=%{x}>'],
  ['a text attribute without quotes', '<a title=x>'],
  ['an attribute that is a hole', '<option %{selected}>'],
  ['an address that is not checked', '<a href="%{x}">'],
  ['an address that is checked in part', '<a href="/console/%{url(x)}">'],
  ['the address of a form', '<form action="%{x}">'],
  ['an address of htmx', '<p hx-get="%{x}">'],
  ['an event handler', '<a onclick="x()">'],
  ['an event handler of htmx', '<a hx-on:click="x()">'],
  ['a script of htmx', '<a hx-vals="js:{a: 1}">'],
  ['a filter of a trigger', '<a hx-trigger="click[ctrlKey]">'],
  ['an inline style', '<p style="color: red">'],
  ['a style element', '<style>p {}</style>'],
  ['a script element', '<script>x()</script>'],
  ['what is wrong within another template', '<p>%{list.map((x) => html`<a title=%{x}>`)}</p>'],
  ['what is wrong behind a hole with braces', '<p>%{f({ a: "}" })}</p><a title=%{x}>'],
])('%s is refused', (_what, text) => {
  expect(templateProblems(template(text))).not.toEqual([]);
});

test.each([
  '<a href="%{url(path("/console/{id}", { id }))}" class="button %{kind}">%{text} = %{1}</a>',
  "<p title='%{x}'>a < b, %{x}=%{y}</p>",
  '<option value="%{x}"%{attributes({ selected })}>%{label}</option>',
  '<input value="%{x}"%{stateAttributes}>',
  '<script src="%{url(asset.url)}" defer></script>',
  '<div hx-get="%{url(x)}" hx-trigger="every 2s"><svg viewBox="0 0 %{w} 24"><path d="M0 0h%{w}"/></svg></div>',
])('%s is accepted', (text) => {
  expect(templateProblems(template(text))).toEqual([]);
});

test('only one file writes markup that is not escaped', () => {
  expect(CONSOLE.filter((path) => /\braw\b\s*\(/.test(readText(path)))).toEqual(['src/console/html.ts']);
});

test('the style sheet has at most 20 KB, and loads nothing', () => {
  const text = readText('src/console/console.css');
  expect(statSync(join(FOLDER, 'src/console/console.css')).size).toBeLessThanOrEqual(20 * 1024);
  expect(text).not.toMatch(/url\(|@import/);
});

test('every page has its own address below that of its audience, and every link of the navigation a page', () => {
  const paths = PAGES.map(({ path }) => path);
  expect(paths.filter((path, at) => paths.indexOf(path) !== at)).toEqual([]);
  const areas = {
    merchant: /^\/console(\/|$)/,
    affiliate: /^\/portal(\/|$)/,
    embed: /^\/embed(\/|$)/,
    public: /^\/(?!console|portal|embed|api|assets|docs)/,
  };
  expect(PAGES.filter(({ path, audience }) => !areas[audience].test(path)).map(({ path }) => path)).toEqual([]);
  expect(PAGES.filter(({ below }) => below !== undefined && !paths.includes(below)).map(({ path }) => path)).toEqual([]);
});

test('every page and form uses operations that its audience may call', () => {
  const wrong = PAGES.flatMap(({ path, audience, uses, mayUse, forms }) =>
    [...uses, ...mayUse, ...Object.values(forms).flatMap((form) => form.uses)].flatMap((id) => {
      const { access } = operationOf(id);
      if (access === 'public') return [];
      const isOpen = audience === 'embed' ? access.embed : audience !== 'public' && access.keys.includes(audience);
      return isOpen ? [] : [`${path} uses ${id}`];
    }),
  );
  expect(wrong).toEqual([]);
});
