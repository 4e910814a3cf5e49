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
export const OWN_SECURITY_HEADERS = { ...SECURITY_HEADERS, 'strict-transport-security': `${HSTS}; includeSubDomains` } as const;

/** Additional headers for HTML pages. */
export const PAGE_HEADERS = {
  'cache-control': 'no-cache',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'origin-agent-cluster': '?1',
  'referrer-policy': 'no-referrer',
} as const;
