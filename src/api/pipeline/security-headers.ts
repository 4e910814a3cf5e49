/**
 * On every answer: the list of OWASP's REST Security Cheat Sheet, as constants. Answers are other people's money and names,
 * so no cache on the way keeps one.
 */
export const SECURITY_HEADERS = {
  'cache-control': 'no-store',
  'content-security-policy': "frame-ancestors 'none'",
  'strict-transport-security': 'max-age=31536000; includeSubDomains',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
} as const;

/** What a page needs besides, because a browser runs it. */
export const PAGE_HEADERS = {
  'cache-control': 'no-cache',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'origin-agent-cluster': '?1',
  'referrer-policy': 'no-referrer',
} as const;
