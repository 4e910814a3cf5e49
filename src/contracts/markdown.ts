/** After these, a bare address would become a link, which no backslash prevents. */
const LINK_STARTS = /:(?=\/\/)|www(?=\.)|@/gi;
/** Not visible, and not a place to break a line. */
const WORD_JOINER = '\u2060';

/** Text that others chose, such as a program's name, as it is read: no formatting, links or line breaks. */
export const escapeMarkdown = (text: string): string =>
  text
    .replace(/\s+/g, ' ')
    .replace(/[\\`*_{}[\]<>()#+!|~&]/g, '\\$&')
    .replace(LINK_STARTS, `$&${WORD_JOINER}`);

/** At most this many bytes of UTF-8; a longer text ends with an ellipsis. */
export const fitBytes = (text: string, maxBytes: number): string => {
  if (byteLength(text) <= maxBytes) return text;
  const kept: string[] = [];
  let bytes = byteLength(ELLIPSIS);
  for (const character of text) {
    bytes += byteLength(character);
    if (bytes > maxBytes) break;
    kept.push(character);
  }
  return `${kept.join('').replace(/\\$/, '')}${ELLIPSIS}`;
};

const ELLIPSIS = '…';

/** Of UTF-8, without the encoders that the workflow sandbox lacks. */
const byteLength = (text: string): number => {
  let bytes = 0;
  for (const character of text) {
    const code = character.codePointAt(0) ?? 0;
    bytes += code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
  }
  return bytes;
};
