const MAX_AUTHORITY_LENGTH = 300;

/** The time to convert a host to ASCII grows with the square of its length: 60 ms for 4,000 characters. */
const START = new RegExp(`^https?://[^/?#\\\\]{1,${MAX_AUTHORITY_LENGTH}}([/?#\\\\]|$)`, 'i');

/** Whether the URL may be parsed: it begins like that of a web page, and its host is not too long. */
export const hasShortHost = (text: string): boolean => START.test(text);

/** The URL of a web page, as anybody may send it; null for anything else. */
export const webPageOf = (text: string): URL | null => (hasShortHost(text) ? URL.parse(text) : null);
