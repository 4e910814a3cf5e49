const ANY_ORIGIN = 'https://website.invalid';

/**
 * True for a path, with or without a query, that URL parsers leave as it is: it names a page of whatever origin it follows,
 * and two spellings of one page are the same text.
 */
export const isLandingPath = (path: string): boolean =>
  path.startsWith('/') && !path.includes('#') && URL.parse(path, ANY_ORIGIN)?.href === ANY_ORIGIN + path;
