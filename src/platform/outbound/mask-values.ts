import type { ReceivedResponse } from './http-connection.ts';

/** Shorter ones occur in any text. */
const MIN_CHARS = 8;
const MASK = '****';

/** Also without what precedes a token, such as "Bearer ". The longest first, which contain others. */
const partsOf = (values: readonly string[]): string[] =>
  values
    .flatMap((value) => [value, ...value.split(/\s+/)])
    .filter(({ length }) => length >= MIN_CHARS)
    .sort((a, b) => b.length - a.length);

/** The response without values that the server repeated, such as one that writes what it received into its error page. */
export const maskValues = <R extends Pick<ReceivedResponse, 'headers' | 'excerpt'>>(
  response: R,
  values: readonly string[],
): R => {
  const parts = partsOf(values);
  if (parts.length === 0) return response;
  const mask = (text: string): string => parts.reduce((masked, part) => masked.replaceAll(part, MASK), text);
  const headers = Object.fromEntries(Object.entries(response.headers).map(([name, value]) => [name, mask(value)]));
  // One character for each byte, whatever the encoding of the text.
  return { ...response, headers, excerpt: Buffer.from(mask(response.excerpt.toString('latin1')), 'latin1') };
};
