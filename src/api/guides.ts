import { readFileSync } from 'node:fs';

/** The order of the API reference, which shows them before the operations, under these headings. */
export const GUIDE_GROUPS = {
  'Start here': ['overview', 'getting-started'],
  'Guides: integrate': ['report-a-sale', 'tracking', 'links-and-coupons', 'stripe', 'webhooks'],
  'Guides: run a program': [
    'people-and-roles',
    'let-affiliates-join',
    'affiliates',
    'embed-the-portal',
    'flags',
    'marketing-resources',
    'pay-everybody',
    'pay-manually',
    'paypal',
    'stripe-connect',
    'sepa',
    'close-a-month',
    'reconcile',
    'billing',
  ],
  'Guides: use the API': ['authentication', 'errors', 'idempotency', 'pagination', 'rate-limits', 'sandbox'],
} as const;
export type Guide = (typeof GUIDE_GROUPS)[keyof typeof GUIDE_GROUPS][number];

export const GUIDES: readonly Guide[] = Object.values(GUIDE_GROUPS).flat();

const FOLDER = new URL('../../docs/guides/', import.meta.url);

/** The Markdown of a guide; its links to others are relative. */
export const readGuide = (guide: Guide): string => readFileSync(new URL(`${guide}.md`, FOLDER), 'utf8');

/** Links between guides, and within one, become links within the page. */
const linkWithinPage = (markdown: string): string =>
  markdown.replaceAll(
    /\]\((?:#([a-z-]+)|([a-z-]+)\.md)\)/g,
    (_, heading?: string, guide?: string) => `](#description/${heading ?? guide})`,
  );

/** Every heading one level lower, below that of the group. In code blocks, `#` begins a comment. */
const lowerHeadings = (markdown: string): string =>
  markdown
    .split(/^(```[\s\S]*?^```$)/m)
    .map((part, at) => (at % 2 === 0 ? part.replaceAll(/^#/gm, '##') : part))
    .join('');

/** Every guide begins with a title, which is also its place on the page. */
export const readGuides = (): string =>
  Object.entries(GUIDE_GROUPS)
    .flatMap(([title, guides]) => [
      `# ${title}`,
      ...guides.map((guide) => lowerHeadings(linkWithinPage(readGuide(guide).trim()))),
    ])
    .join('\n\n');

/** The opening paragraph of a guide, without links, and where to read on. */
export const readOpening = (guide: Guide): string => {
  const [title = '', opening = ''] = readGuide(guide).split('\n\n');
  const text = opening.replaceAll('\n', ' ').replaceAll(/\[([^\]]+)\]\([^)]+\)/g, '$1');
  return `${text}\n\nGuide: [${title.replace(/^# /, '')}](#description/${guide})`;
};
