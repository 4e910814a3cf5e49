import { buttonLink } from './components/blocks.ts';
import { html } from './html.ts';
import { type Audience, HOME, type View } from './page.ts';
import type { Texts } from './texts/texts.ts';

export interface PageError {
  status: number;
  /** In the words of the API; null where the page says it better. */
  message: string | null;
  requestId: string;
  retryAfterSeconds: number;
}

const textOf = (
  { status, message, requestId, retryAfterSeconds }: PageError,
  { kit }: Texts,
  audience: Audience,
): { title: string; text: string } => {
  if (audience === 'embed' && status === 401) return kit.embedEnded;
  if (status === 404) return kit.notFound;
  if (status === 401 || status === 403) return kit.forbidden;
  if (status === 429) return { title: kit.tooMany.title, text: kit.tooMany.text(retryAfterSeconds) };
  if (status >= 500 || message === null) return { title: kit.fault.title, text: kit.fault.text(requestId) };
  if (status === 400) return { title: kit.invalid.title, text: kit.invalid.text };
  return { title: kit.conflict.title, text: message };
};

/** The page of an error. */
export const errorView = (error: PageError, texts: Texts, audience: Audience): View => {
  const { title, text } = textOf(error, texts, audience);
  const hasStart = audience === 'merchant' || audience === 'affiliate';
  const start = hasStart && error.status !== 429 && buttonLink(HOME[audience], texts.kit.toStart);
  return { title, status: error.status, content: html`<p>${text}</p>${start && html`<p>${start}</p>`}` };
};

export const crossSiteView = ({ kit }: Texts): View => ({
  title: kit.crossSite.title,
  status: 403,
  content: html`<p>${kit.crossSite.text}</p>`,
});
