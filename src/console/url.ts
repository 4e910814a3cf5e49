import { webPageOf } from '../platform/http/web-page.ts';

/** Below this origin: no other host (`//`, `/\`), and no character that a browser drops or that ends the path early. */
const OWN = /^(\/(?![/\\])|[?#])[^\s\p{Cc}]*$/u;
const MAIL = /^mailto:[^\s\p{Cc}]+$/iu;

/** What stands in place of an address that may not be opened. */
export const NOWHERE = '#';

const isOwn = (text: string): boolean => OWN.test(text);

/** For `href`, `src` and every other attribute that holds an address: web pages, mail addresses and paths of this origin only. */
export const url = (text: string): string => (isOwn(text) || MAIL.test(text) || webPageOf(text) !== null ? text : NOWHERE);

/** For redirects, and for addresses that came with a request: a path of this origin, else `fallback`. */
export const ownPath = (text: string | undefined, fallback: string): string =>
  text?.startsWith('/') && isOwn(text) ? text : fallback;

type Query = Readonly<Record<string, string | number | boolean | null | undefined>>;

/** `path('/console/payouts/{id}', { id }, { status })`: a path of this origin, with its parts encoded. Empty values are left out. */
export const path = (template: `/${string}`, params: Readonly<Record<string, string>> = {}, query: Query = {}): string => {
  const filled = template.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const value = params[name];
    if (value === undefined || value === '') throw new Error(`The path ${template} needs ${name}`);
    // A dot alone would be read as a folder.
    return encodeURIComponent(value).replace(/^\.+$/, (dots) => dots.replaceAll('.', '%2E'));
  });
  const given = Object.entries(query).flatMap(([name, value]) =>
    value === undefined || value === null || value === '' ? [] : [[name, String(value)] as [string, string]],
  );
  return given.length === 0 ? filled : `${filled}?${new URLSearchParams(given)}`;
};
