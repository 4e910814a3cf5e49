const HSTS = 'max-age=31536000';

/** On every response: the headers of OWASP's REST Security Cheat Sheet. Responses contain personal data: no cache stores them. */
export const SECURITY_HEADERS = {
  'cache-control': 'no-store',
  'content-security-policy': "frame-ancestors 'none'",
  'strict-transport-security': HSTS,
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
} as const;

/**
 * Under the name of this server, the names below it use TLS too. Those below a domain of a merchant are not ours to decide on: their
 * mail archive or their printer may have none.
 */
const OWN_SECURITY_HEADERS = { ...SECURITY_HEADERS, 'strict-transport-security': `${HSTS}; includeSubDomains` } as const;

/** The headers of a response to a request under a host name. `publicUrl`: where this server is. */
export const securityHeadersOf = (publicUrl: string) => {
  const own = new URL(publicUrl).hostname;
  return (hostname: string) => (hostname.toLowerCase() === own ? OWN_SECURITY_HEADERS : SECURITY_HEADERS);
};

/** Additional headers for HTML pages. */
export const PAGE_HEADERS = {
  'cache-control': 'no-cache',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'origin-agent-cluster': '?1',
  'referrer-policy': 'no-referrer',
} as const;
