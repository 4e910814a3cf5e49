import { attributes, type Html, html, render } from '../../../src/console/html.ts';

test('texts are escaped between tags and in quoted attributes', async () => {
  const text = `<b title='x'>"&`;
  const page = html`<p title="${text}">${text}${[html`<i>${1}</i>`, null, undefined, false, true]}</p>`;
  const escaped = '&lt;b title=&#39;x&#39;&gt;&quot;&amp;';
  expect(await render(page)).toBe(`<p title="${escaped}">${escaped}<i>1</i></p>`);
});

test('what is sent is a string', async () => {
  expect(typeof (await render(html`<p></p>`))).toBe('string');
  expect(await render(Promise.resolve(html`<p>${'<'}</p>`))).toBe('<p>&lt;</p>');
});

test('a template takes no promise', () => {
  const later = Promise.resolve(html`<p></p>`);
  // @ts-expect-error it would be printed as an object
  const page = (): Html => html`<div>${later}</div>`;
  expect(page).toBeInstanceOf(Function);
});

test('attributes are quoted and escaped, and those without a value are left out', () => {
  const written = attributes({
    id: 'a"b',
    hidden: true,
    checked: false,
    title: null,
    lang: undefined,
    max: 3,
    href: 'javascript:x',
  });
  expect(String(written)).toBe(' id="a&quot;b" hidden max="3" href="#"');
});

test.each(['onclick', 'style', 'srcdoc', 'hx-on', 'hx-on:click', 'hx-vals', 'a b', 'A', 'x"'])('%s is no attribute', (name) => {
  expect(() => attributes({ [name]: 'x' })).toThrow('is no attribute');
});

test('NS14: no text of a template or an attribute turns the direction of what is read', () => {
  const name = '\u202eAda\u2066\u200f\u061c';
  const markup = html`<p>${name}${[name, html`<b>${name}</b>`]}</p><input${attributes({ value: name })}>`;
  expect(String(markup)).toBe('<p>AdaAda<b>Ada</b></p><input value="Ada">');
});
