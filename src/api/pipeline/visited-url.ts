import { findWord, repairQuery } from '../../domains/tracking/index.ts';

/** What programs call. Nearly all else is opened by people, from links that others wrote. */
const CALLED = /^(?:https?:\/\/[^/?#]*)?\/api(?:[/?]|$)/;

const LONE_PERCENT = /%(?![\da-f]{2})/gi;
const ESCAPES = /(?:%[\da-f]{2})+/gi;
/** U+FFFD, for what is left of a character that was cut. */
const CUT = '%EF%BF%BD';
const windows1252 = new TextDecoder('windows-1252');

const isUtf8 = (run: string): boolean => {
  try {
    decodeURIComponent(run);
    return true;
  } catch {
    return false;
  }
};

/** Old programs write queries in the code page of Windows: what is no UTF-8 is read as that. */
const fromWindows = (run: string): string => encodeURIComponent(windows1252.decode(Buffer.from(run.replaceAll('%', ''), 'hex')));

const withValidEscapes = (text: string, toUtf8: (run: string) => string): string =>
  text.replace(LONE_PERCENT, '%25').replace(ESCAPES, (run) => (isUtf8(run) ? run : toUtf8(run)));

/** The last part of the path of a page that is shared. */
const SHARED = /^((?:https?:\/\/[^/?#]*)?\/(?:join|i)\/)(.+)$/;

const withoutClosing = (path: string): string => {
  const [, start = '', last = ''] = SHARED.exec(path) ?? [];
  const word = last === '' ? null : findWord(last);
  return word === null ? path : `${start}${word}`;
};

/**
 * The address of a page in one valid spelling, whatever bytes it was asked for with: nobody sees an error for what a mail program or a
 * tracking parameter made of a link. Addresses of the API stay as they are, and are rejected.
 */
export const visitedUrl = (url: string): string => {
  if (CALLED.test(url)) return url;
  const [, start = '', query] = /^([^?]*)(?:\?(.*))?$/s.exec(url) ?? [];
  const path = withoutClosing(withValidEscapes(start, () => CUT));
  return query === undefined ? path : `${path}?${repairQuery(withValidEscapes(query, fromWindows), [])}`;
};
