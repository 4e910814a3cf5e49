/** What mail programs, chats and word processors make of a link that somebody shares. */

const ESCAPES = /(?:%[\da-f]{2})+/gi;
/** Punctuation, a word, and nothing after it that makes the word a part of something else, such as a name or an address. */
const WORD = /^[^\p{L}\p{N}\p{M}_-]*([\w-]+)(?![ .,:;!*~+=@/]*[\p{L}\p{N}\p{M}_-])/u;

/** Escapes that are no UTF-8 are what is left of a character that was cut. */
const decoded = (run: string): string => {
  try {
    return decodeURIComponent(run);
  } catch {
    return '%';
  }
};

/**
 * The word of letters a-z, digits, `_` and `-` in the last part of a link, whatever closes it: "ada/", "ada.", "ada%20", "“ada”",
 * "ada&amp;x=1". Null when something else is written there, such as "ada.smith".
 */
export const findWord = (text: string): string | null => {
  // What was encoded once more is decoded once more.
  const plain = text.replace(ESCAPES, decoded).replace(ESCAPES, decoded);
  // Invisible characters, and hyphens of word processors.
  return WORD.exec(plain.replace(/\p{DI}/gu, '').replace(/[\u2010\u2011]/g, '-'))?.[1] ?? null;
};

/** The referral code in what is left of a link, in lower case. Null: there is none. */
export const findCode = (text: string): string | null => {
  const code = findWord(text)?.toLowerCase() ?? '';
  return code.length < 3 || code.length > 50 ? null : code;
};

/** A query whose `&` became `&amp;`, or after which another one was written with its `?`. `names`: parameters that begin such a one. */
export const repairQuery = (query: string, names: readonly string[]): string =>
  query
    .replace(/&(?:amp;)+/gi, '&')
    .split('?')
    .reduce((before, part) => `${before}${names.includes(part.split('=')[0] ?? '') ? '&' : '?'}${part}`);
