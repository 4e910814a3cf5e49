import { readFileSync } from 'node:fs';

/** In the order of the API reference, which shows them before the operations. */
export const GUIDES = [
  'getting-started',
  'report-a-sale',
  'tracking',
  'links-and-coupons',
  'stripe',
  'affiliates',
  'flags',
  'webhooks',
  'marketing-resources',
  'authentication',
  'errors',
  'idempotency',
  'pagination',
  'rate-limits',
  'pay-manually',
  'billing',
  'sandbox',
] as const;
export type Guide = (typeof GUIDES)[number];

const FOLDER = new URL('../../docs/guides/', import.meta.url);

/** The Markdown of a guide; its links to others are relative. */
export const readGuide = (guide: Guide): string => readFileSync(new URL(`${guide}.md`, FOLDER), 'utf8');

/** Links between guides become links within the page. */
const linkWithinPage = (markdown: string): string =>
  markdown.replaceAll(/\]\(([a-z-]+)\.md\)/g, (_, guide: string) => `](#description/${guide})`);

/** Every guide begins with a title, which is also its place on the page. */
export const readGuides = (): string => GUIDES.map((guide) => linkWithinPage(readGuide(guide).trim())).join('\n\n');

/** The opening paragraph of a guide, without links, and where to read on. */
export const readOpening = (guide: Guide): string => {
  const [title = '', opening = ''] = readGuide(guide).split('\n\n');
  const text = opening.replaceAll('\n', ' ').replaceAll(/\[([^\]]+)\]\([^)]+\)/g, '$1');
  return `${text}\n\nGuide: [${title.replace(/^# /, '')}](#description/${guide})`;
};
