import type { CancellationRequest } from './descriptor.ts';

/** After these, a bare address would become a link, which no backslash prevents. */
const LINK_STARTS = /:(?=\/\/)|www(?=\.)|@/gi;
/** Not visible, and not a place to break a line. */
const WORD_JOINER = '\u2060';

/** Text that others chose, such as a program's name, as it is read: no formatting, links, line breaks or invisible characters. */
export const escapeMarkdown = (text: string): string =>
  text
    .replace(/[\p{Cf}\p{Cs}\p{Co}]/gu, '')
    .replace(/[\s\p{Cc}]+/gu, ' ')
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

/** Length in UTF-8, without the encoders that the workflow sandbox lacks. */
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
  [title, listOf(lines)].join('\n\n');

/** Lines without a text are left out. Markdown. */
export const listOf = (lines: readonly (readonly [name: string, text: string | null])[]): string =>
  lines.flatMap(([name, text]) => (text === null ? [] : [`- ${name}: ${text}`])).join('\n');

/** Where a person continues to read. */
export interface WorkflowLinks {
  /** Base URL of the REST API. */
  api: string;
  /** Base URL of the workflows in the Temporal UI. Null when TEMPORAL_UI_URL is not set. */
  workflows: string | null;
}

export const link = (text: string, url: string): string => `[${text}](${url})`;

/** Link to the list of workflows with this filter; nothing when the UI's address is not known. */
export const listLink = (text: string, { workflows }: Pick<WorkflowLinks, 'workflows'>, query: string): string[] =>
  workflows === null ? [] : [link(text, `${workflows}?query=${encodeURIComponent(query)}`)];

/** Link to a workflow in the Temporal UI, or its id when the UI's address is not known. */
export const workflowLink = (workflowId: string, { workflows }: Pick<WorkflowLinks, 'workflows'>): string =>
  workflows === null ? `\`${workflowId}\`` : link(workflowId, `${workflows}/${encodeURIComponent(workflowId)}`);

/** Link to the run of a workflow that counts, also where others have its id. Markdown. */
export const runsLink = (workflowId: string, links: Pick<WorkflowLinks, 'workflows'>): string => {
  const filter = `WorkflowId = "${workflowId}" AND State != "superseded"`;
  const [list = `the workflow with the filter \`${filter}\``] = listLink(workflowId, links, filter);
  return list;
};

/** Describes a workflow that somebody started in the Temporal UI as a copy of the one that shows `of`. Markdown. */
export const describeCopy = (of: string, workflowId: string, links: Pick<WorkflowLinks, 'workflows'>): string =>
  detailsOf(`**Superseded**: this is a copy, and another workflow shows the ${of}; this one changes nothing`, [
    ['Workflow', runsLink(workflowId, links)],
  ]);

/** The Temporal UI sets the columns of a table without any space between them. */
const COLUMN_GAP = '\u2003';

/** A table. Markdown. */
export const tableOf = (head: readonly string[], rows: readonly (readonly string[])[]): string => {
  const line = (cells: readonly string[]) => `| ${cells.join(` | ${COLUMN_GAP}`)} |`;
  return [line(head), `|${' :--- |'.repeat(head.length)}`, ...rows.map(line)].join('\n');
};

/** Parts of a page; those without a text are left out. */
export const sectionsOf = (...sections: readonly (string | null)[]): string =>
  sections.filter((section) => section !== null).join('\n\n');

/** "24 h", "90 min", "2 s". */
export const formatDuration = (ms: number): string => {
  if (ms >= 2 * HOUR || ms % HOUR === 0) return `${Math.round(ms / HOUR)} h`;
  return ms >= 2 * MINUTE ? `${Math.round(ms / MINUTE)} min` : `${Math.max(Math.round(ms / SECOND), 1)} s`;
};

const SECOND = 1_000;
const MINUTE = 60_000;
const HOUR = 3_600_000;

/** What a workflow waits for, and what it does if that does not come. Null: only a signal can continue it. */
export interface Wait {
  what: string;
  next: { label: string; atMs: number } | null;
  /** What follows when nothing comes for long. */
  otherwise?: string;
}

/** "sandbox to confirm; look-up 7 at 2026-01-31 22:04 UTC; a person decides after 24 h". */
export const waitText = ({ what, next, otherwise }: Wait): string =>
  [what, next && `${next.label} at ${formatTime(next.atMs)}`, otherwise].filter(Boolean).join('; ');

export const upperFirst = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}`;

/** "Look-up 7; a person decides after 24 h". Without times: rows of the same wait fold in the Temporal UI. */
export const timerSummary = ({ what, next, otherwise }: Wait): string => {
  if (next === null) return `Waiting for ${what}`;
  const label = upperFirst(next.label);
  return `${label}; ${otherwise ?? `waiting for ${what}`}`;
};

/** The first line of a page whose cancellation was requested in Temporal. `instead`: null once there is nothing to cancel. Markdown. */
export const describeCancellation = ({ by, at }: CancellationRequest, instead: string | null): string => {
  const who = by === null ? '' : ` by **${escapeMarkdown(by)}**`;
  const request = `⚠ **Cancellation requested in Temporal**${who} at ${formatTime(Date.parse(at))}`;
  return instead === null ? `${request}: it had no effect.` : `${request}: it has no effect. ${instead}`;
};
