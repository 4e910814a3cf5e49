/**
 * The domain whose pages belong to a website: its host without `www.`. Subdomains belong to it too. Null without a website.
 */
export const websiteDomainOf = (website: string | null | undefined): string | null => {
  const url = website ? URL.parse(website) : null;
  return url?.hostname.replace(/^www\.(?=.+\.)/, '') ?? null;
};
