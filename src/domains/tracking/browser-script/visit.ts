import { TOKEN } from './attribution.ts';
import { config, queryValue } from './page.ts';

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

export const TOKEN_PARAMETER = 'agentref_cid';
/** The server rejects longer ones. */
const MAX_URL_LENGTH = 4_096;
const CODE = /^[\w-]{3,50}$/;

/** Null when the URL carries neither a click token nor what may be a referral code. */
export const readVisit = (): Visit | null => {
  const given = queryValue(TOKEN_PARAMETER);
  const token = TOKEN.test(given) ? given : null;
  const parameter = config.parameters.find((name) => CODE.test(queryValue(name))) ?? '';
  const code = parameter && queryValue(parameter);
  const pageUrl = location.href.replace(/#.*/s, '').slice(0, MAX_URL_LENGTH);
  return token || code ? { parameter, code, token, pageUrl, referrer: document.referrer.slice(0, MAX_URL_LENGTH) } : null;
};
