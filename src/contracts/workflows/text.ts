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

/** Limit of Temporal for a summary. */
const SUMMARY_BYTES = 200;

/** A summary of as many bytes as Temporal stores: a text that is too long ends with an ellipsis. */
export const fitSummary = (text: string, before = '', after = ''): string =>
  before + fitBytes(text, SUMMARY_BYTES - byteLength(before + after)) + after;

const fitBytes = (text: string, maxBytes: number): string => {
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

/** "2026-01-31 22:04 UTC". */
export const formatTime = (ms: number): string => `${new Date(ms).toISOString().slice(0, 16).replace('T', ' ')} UTC`;

/** `1 conversion`, `2 conversions`; for nouns whose plural ends in s. */
export const countOf = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`;

/** A title and a list of what is known; lines without a text are left out. Markdown. */
export const detailsOf = (title: string, lines: readonly (readonly [name: string, text: string | null])[]): string =>
  [title, lines.flatMap(([name, text]) => (text === null ? [] : [`- ${name}: ${text}`])).join('\n')].join('\n\n');

/** Where a person continues to read. */
export interface WorkflowLinks {
  /** Base URL of the REST API. */
  api: string;
  /** Base URL of the workflows in the Temporal UI. Null when TEMPORAL_UI_URL is not set. */
  workflows: string | null;
}

export const link = (text: string, url: string): string => `[${text}](${url})`;

/** Link to the list of workflows with this filter; nothing when the UI's address is not known. */
export const listLink = (text: string, { workflows }: WorkflowLinks, query: string): string[] =>
  workflows === null ? [] : [link(text, `${workflows}?query=${encodeURIComponent(query)}`)];

/** Link to a workflow in the Temporal UI, or its id when the UI's address is not known. */
export const workflowLink = (workflowId: string, { workflows }: WorkflowLinks): string =>
  workflows === null ? `\`${workflowId}\`` : link(workflowId, `${workflows}/${encodeURIComponent(workflowId)}`);

/** What a workflow waits for, and what it does by itself if that does not come. Null: only a signal can continue it. */
export interface Wait {
  what: string;
  next: { label: string; atMs: number } | null;
}

/** "sandbox to confirm, next look-up 2026-01-31 22:04 UTC". */
export const waitText = ({ what, next }: Wait): string =>
  next === null ? what : `${what}, ${next.label} ${formatTime(next.atMs)}`;

/** "Waiting for sandbox to confirm (next look-up 2026-01-31 22:04 UTC)". */
export const timerSummary = ({ what, next }: Wait): string =>
  next === null ? `Waiting for ${what}` : `Waiting for ${what} (${next.label} ${formatTime(next.atMs)})`;
