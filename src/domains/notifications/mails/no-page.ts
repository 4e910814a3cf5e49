import type { PageLink } from '../mail-content.rules.ts';

type Guide = 'affiliates' | 'flags' | 'webhooks' | 'close-a-month' | 'pay-manually';

const guide = (name: Guide): string => `/docs/guides/${name}.md`;

/** The console has no page for it: developers decide with the API. `what`: plural, as the first word. */
export const decidedByDevelopers = (what: string, about: Guide): PageLink => ({
  text: `${what} don't have a page in the console yet. Your developers decide on them through the API, as this guide describes`,
  page: guide(about),
});

export const guideFor = (text: string, about: Guide): PageLink => ({ text, page: guide(about) });
