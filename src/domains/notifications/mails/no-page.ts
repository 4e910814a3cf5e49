import type { PageLink } from '../mail-content.rules.ts';

type Guide = 'affiliates' | 'flags' | 'webhooks' | 'close-a-month' | 'pay-manually';

const guide = (name: Guide): string => `/docs/guides/${name}.md`;

/** What people decide on who work with the API: the console has no page for it. `what`: plural, as the first word. */
export const decidedByDevelopers = (what: string, about: Guide): PageLink => ({
  text: `${what} have no page in the console yet. Whoever works with your API keys decides on them, as this guide says`,
  page: guide(about),
});

export const guideFor = (text: string, about: Guide): PageLink => ({ text, page: guide(about) });
