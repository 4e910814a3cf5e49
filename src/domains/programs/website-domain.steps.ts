import type { Context } from '../../platform/context.ts';
import { invalidField } from '../../platform/errors.ts';
import { isLoopbackUrl } from '../../platform/http/web-urls.ts';

interface ProgramPages {
  website?: string | null | undefined;
  landingPageUrl?: string | null | undefined;
  embedOrigins?: readonly string[] | undefined;
}

/** Pages of the developer's own machine are for development: in production they would lead each visitor to their own. */
export const assertPublicPages = ({ settings }: Context, changes: ProgramPages): void => {
  if (settings.environment !== 'production') return;
  for (const name of ['website', 'landingPageUrl'] as const) {
    if (changes[name] && isLoopbackUrl(changes[name])) throw invalidField(name, 'must not be on localhost in production');
  }
  if (changes.embedOrigins?.some(isLoopbackUrl)) throw invalidField('embedOrigins', 'must not contain localhost in production');
};

/**
 * The domain whose pages belong to a website: its host without `www.`. Subdomains belong to it too. Null without a website.
 */
export const websiteDomainOf = (website: string | null | undefined): string | null => {
  const url = website ? URL.parse(website) : null;
  return url?.hostname.replace(/^www\.(?=.+\.)/, '') ?? null;
};
