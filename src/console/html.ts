import { raw, html as tag } from 'hono/html';
import { escapeHtml } from '../platform/http/escape-html.ts';
import { withoutDirections } from '../platform/visible-line.ts';
import { url } from './url.ts';

/** Markup. Every text in it was escaped when it was made. */
export interface Html {
  readonly isEscaped: true;
  toString(): string;
}

/** What a template may contain. A promise does not compile: it would be printed as an object. */
export type Child = Html | string | number | boolean | null | undefined | readonly Child[];

const isList = (child: Child): child is readonly Child[] => Array.isArray(child);

const shown = (child: Child): Child => {
  if (isList(child)) return child.map(shown);
  return typeof child === 'string' ? withoutDirections(child) : child;
};

/**
 * Markup of a template. Texts and numbers are escaped, and no text turns the direction of what is read; true, false, null and undefined
 * are left out. Only texts between tags and quoted attributes are protected: `attributes` writes whole ones.
 */
export const html = (strings: TemplateStringsArray, ...values: readonly Child[]): Html =>
  tag(strings, ...values.map(shown)) as unknown as Html;

export const nothing: Html = html``;

type AttributeValue = string | number | boolean | null | undefined;

const NAME = /^(?!on)[a-z][a-z0-9-]*(:inherited)?$/;
const URLS = new Set(['href', 'src', 'action', 'formaction', 'poster', 'hx-get', 'hx-post', 'hx-put', 'hx-patch', 'hx-delete']);
const FORBIDDEN = new Set(['style', 'srcdoc', 'hx-on', 'hx-vals', 'hx-headers', 'hx-config']);

/** Attributes with their leading spaces. True is an attribute without a value; false, null and undefined are none. */
export const attributes = (values: Readonly<Record<string, AttributeValue>>): Html => {
  let text = '';
  for (const [name, value] of Object.entries(values)) {
    if (value === undefined || value === null || value === false) continue;
    if (!NAME.test(name) || FORBIDDEN.has(name)) throw new Error(`${name} is no attribute for a template`);
    if (value === true) text += ` ${name}`;
    else text += ` ${name}="${escapeHtml(URLS.has(name) ? url(String(value)) : withoutDirections(String(value)))}"`;
  }
  return raw(text) as unknown as Html;
};

/** The text to send. A page that waits for something is waited for. */
export const render = async (page: Html | Promise<Html>): Promise<string> => String(await page);
