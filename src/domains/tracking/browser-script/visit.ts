import { TOKEN } from './attribution.ts';
import { config, queryValues, TOKEN_PARAMETER } from './page.ts';
import { findCode } from './shared-links.ts';

/** What the URL of the page tells about the visit. */
export interface Visit {
  /** The parameter that carries the referral code, and the code; empty when only the token came. */
  parameter: string;
  code: string;
  /** Set by the redirect link, which counted the click already. */
  token: string | null;
  pageUrl: string;
  referrer: string;
}

/** The server rejects longer ones. */
const MAX_URL_LENGTH = 4_096;

/** Empty when no parameter of this name has a code. */
const codeIn = (parameter: string): string => queryValues(parameter).map(findCode).find(Boolean) ?? '';

/** Null when the URL carries neither a click token nor what may be a referral code. */
export const readVisit = (): Visit | null => {
  const token = queryValues(TOKEN_PARAMETER).find((given) => TOKEN.test(given)) ?? null;
  const parameter = config.parameters.find(codeIn) ?? '';
  const code = parameter && codeIn(parameter);
  const pageUrl = location.href.replace(/#.*/s, '').slice(0, MAX_URL_LENGTH);
  return token || code ? { parameter, code, token, pageUrl, referrer: document.referrer.slice(0, MAX_URL_LENGTH) } : null;
};
