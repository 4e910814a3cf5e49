import { OPERATIONS, PUBLIC_ROUTES } from '../../src/api/routes.ts';
import { type Operation, scopeFor } from '../../src/platform/http/operation.ts';
import { readText } from './project.ts';

type Keys = 'M' | 'A' | 'MA' | 'MO' | 'MAO' | '-';

/** The published operations: method, path, key types (merchant, affiliate, onboarding), scope, status, whether `data` is a list. */
type Published = readonly [string, string, Keys, string, 200 | 201, 'page' | 'array' | 'object'];

const PUBLISHED: readonly Published[] = [
  ['GET', '/me', 'MAO', 'any', 200, 'object'],

  ['POST', '/onboarding/merchant', 'MO', 'merchant:manage', 200, 'object'],
  ['POST', '/onboarding/complete', 'M', 'merchant:manage', 200, 'object'],

  ['GET', '/merchant', 'M', 'merchant:read', 200, 'object'],
  ['PATCH', '/merchant', 'M', 'merchant:manage', 200, 'object'],
  ['GET', '/merchant/notifications', 'M', 'merchant:read', 200, 'object'],
  ['PUT', '/merchant/notifications', 'M', 'merchant:manage', 200, 'object'],

  ['GET', '/programs', 'M', 'programs:read', 200, 'page'],
  ['POST', '/programs', 'MO', 'programs:write', 201, 'object'],
  ['GET', '/programs/{}', 'MO', 'programs:read', 200, 'object'],
  ['PATCH', '/programs/{}', 'M', 'programs:write', 200, 'object'],
  ['DELETE', '/programs/{}', 'M', 'programs:write', 200, 'object'],
  ['GET', '/programs/{}/stats', 'M', 'stats:read', 200, 'object'],
  ['GET', '/programs/{}/affiliates', 'M', 'affiliates:read', 200, 'page'],
  ['PATCH', '/programs/{}/marketplace', 'M', 'programs:write', 200, 'object'],
  ['POST', '/programs/{}/connect-stripe', 'MO', 'programs:write', 200, 'object'],
  ['DELETE', '/programs/{}/connect-stripe', 'MO', 'programs:write', 200, 'object'],
  ['GET', '/programs/{}/tracking/status', 'M', 'programs:read', 200, 'object'],

  ['GET', '/programs/{}/coupons', 'M', 'programs:read', 200, 'array'],
  ['POST', '/programs/{}/coupons', 'M', 'programs:write', 201, 'object'],
  ['DELETE', '/coupons/{}', 'M', 'programs:write', 200, 'object'],
  ['GET', '/programs/{}/invites', 'M', 'affiliates:read', 200, 'array'],
  ['POST', '/programs/{}/invites', 'M', 'affiliates:manage', 201, 'object'],
  ['GET', '/invites/{}', '-', 'none', 200, 'object'],
  ['POST', '/invites/{}/claim', 'MA', 'invites:claim', 201, 'object'],

  ['GET', '/applications', 'M', 'affiliates:read', 200, 'page'],
  ['GET', '/applications/{}', 'M', 'affiliates:read', 200, 'object'],
  ['POST', '/applications/{}/approve', 'M', 'affiliates:manage', 200, 'object'],
  ['POST', '/applications/{}/decline', 'M', 'affiliates:manage', 200, 'object'],
  ['POST', '/applications/{}/block', 'M', 'affiliates:manage', 200, 'object'],

  ['GET', '/affiliates', 'M', 'affiliates:read', 200, 'page'],
  ['GET', '/affiliates/{}', 'M', 'affiliates:read', 200, 'object'],
  ['POST', '/affiliates/{}/block', 'M', 'affiliates:manage', 200, 'object'],
  ['POST', '/affiliates/{}/unblock', 'M', 'affiliates:manage', 200, 'object'],
  ['POST', '/affiliates/{}/approve', 'M', 'affiliates:manage', 200, 'object'],

  ['GET', '/conversions', 'M', 'conversions:read', 200, 'page'],
  ['GET', '/conversions/stats', 'M', 'stats:read', 200, 'object'],
  ['GET', '/conversions/recent', 'M', 'conversions:read', 200, 'array'],

  ['GET', '/payouts', 'M', 'payouts:read', 200, 'page'],
  ['GET', '/payouts/pending', 'M', 'payouts:read', 200, 'page'],
  ['GET', '/payouts/stats', 'M', 'stats:read', 200, 'object'],
  ['POST', '/payouts', 'M', 'payouts:write', 201, 'object'],

  ['GET', '/flags', 'M', 'flags:read', 200, 'page'],
  ['GET', '/flags/stats', 'M', 'flags:read', 200, 'object'],
  ['POST', '/flags/{}/resolve', 'M', 'flags:write', 200, 'object'],

  ['GET', '/billing', 'M', 'billing:read', 200, 'object'],
  ['GET', '/billing/tiers', 'M', 'billing:read', 200, 'array'],
  ['POST', '/billing/subscribe', 'M', 'billing:write', 200, 'object'],

  ['GET', '/me/overview', 'A', 'stats:read', 200, 'object'],
  ['GET', '/me/programs', 'A', 'profile:read', 200, 'array'],
  ['GET', '/me/programs/{}', 'A', 'profile:read', 200, 'object'],
  ['GET', '/me/earnings', 'A', 'earnings:read', 200, 'object'],
  ['GET', '/me/earnings/{}', 'A', 'earnings:read', 200, 'page'],
  ['GET', '/me/payouts', 'A', 'payouts:read', 200, 'page'],
  ['GET', '/me/links', 'A', 'links:read', 200, 'array'],
  ['POST', '/me/links', 'A', 'links:write', 201, 'object'],
  ['PATCH', '/me/links/{}', 'A', 'links:write', 200, 'object'],
  ['DELETE', '/me/links/{}', 'A', 'links:write', 200, 'object'],
  ['GET', '/me/clicks', 'A', 'stats:read', 200, 'object'],
  ['GET', '/me/payout-info', 'A', 'profile:read', 200, 'object'],
  ['PATCH', '/me/payout-info', 'A', 'profile:write', 200, 'object'],

  ['GET', '/marketplace/programs', 'A', 'marketplace:read', 200, 'page'],
  ['POST', '/marketplace/apply/{}', 'A', 'marketplace:apply', 201, 'object'],

  ['GET', '/programs/{}/marketing-resources', 'M', 'marketing_resources:read', 200, 'array'],
  ['POST', '/programs/{}/marketing-resources/social-posts', 'M', 'marketing_resources:write', 201, 'object'],
  ['PATCH', '/marketing-resources/social-posts/{}', 'M', 'marketing_resources:write', 200, 'object'],
  ['POST', '/marketing-resources/social-posts/{}/media/upload-sessions', 'M', 'marketing_resources:write', 201, 'object'],
  ['POST', '/marketing-resources/social-posts/{}/media/complete', 'M', 'marketing_resources:write', 200, 'object'],
  ['POST', '/marketing-resources/social-posts/{}/media/reorder', 'M', 'marketing_resources:write', 200, 'array'],
  ['PATCH', '/marketing-resources/social-posts/{}/media/{}', 'M', 'marketing_resources:write', 200, 'object'],
  ['DELETE', '/marketing-resources/social-posts/{}/media/{}', 'M', 'marketing_resources:write', 200, 'object'],
  ['POST', '/marketing-resources/social-posts/{}/media/{}/replace', 'M', 'marketing_resources:write', 200, 'object'],
  ['POST', '/marketing-resources/{}/publish', 'M', 'marketing_resources:write', 200, 'object'],
  ['POST', '/marketing-resources/{}/unpublish', 'M', 'marketing_resources:write', 200, 'object'],
  ['POST', '/marketing-resources/{}/archive', 'M', 'marketing_resources:write', 200, 'object'],
  ['POST', '/marketing-resources/{}/notify', 'M', 'marketing_resources:write', 200, 'object'],
  ['POST', '/marketing-resources/download-url', 'M', 'marketing_resources:write', 200, 'object'],
  ['GET', '/me/programs/{}/marketing-resources', 'A', 'marketing_resources:read', 200, 'array'],
  ['GET', '/me/marketing-resources/{}', 'A', 'marketing_resources:read', 200, 'object'],
  ['POST', '/me/marketing-resources/download-url', 'A', 'marketing_resources:read', 200, 'object'],
  ['POST', '/me/marketing-resources/social-posts/{}/render', 'A', 'marketing_resources:read', 200, 'object'],

  ['GET', '/webhooks', 'M', 'webhooks:read', 200, 'array'],
  ['POST', '/webhooks', 'M', 'webhooks:write', 201, 'object'],
  ['GET', '/webhooks/{}', 'M', 'webhooks:read', 200, 'object'],
  ['PATCH', '/webhooks/{}', 'M', 'webhooks:write', 200, 'object'],
  ['DELETE', '/webhooks/{}', 'M', 'webhooks:write', 200, 'object'],
  ['POST', '/webhooks/{}/rotate-secret', 'M', 'webhooks:write', 200, 'object'],
];

/** Outside `/api/v1`. `/api/tracking/verify` is left out: nothing that it verified is published (docs/decisions/0041-billing.md). */
const PUBLISHED_ROUTES = ['POST /api/tracking/click', 'GET /r/{}', 'GET /script.js'];

const anyParameter = (path: string): string => path.replaceAll(/\{\w+\}/g, '{}');

const LETTERS = { merchant: 'M', affiliate: 'A', onboarding: 'O' } as const;

const keysOf = ({ access }: Operation): string =>
  access === 'public' ? '-' : [...'MAO'].filter((letter) => access.keys.some((key) => LETTERS[key] === letter)).join('');

const scopeOf = ({ access }: Operation): string => {
  if (access === 'public') return 'none';
  const [first] = access.keys;
  return access.scope === 'any' ? 'any' : (scopeFor(access, first) ?? 'none');
};

const shapeOf = ({ paged, example }: Operation): Published[5] => {
  if (paged) return 'page';
  return Array.isArray(example.data) ? 'array' : 'object';
};

const offered = new Map(OPERATIONS.map((op) => [`${op.method} ${anyParameter(op.path)}`, op]));

test('every published operation is offered, with its key types, scope, status and shape', () => {
  const found = PUBLISHED.map(([method, path]) => {
    const op = offered.get(`${method} ${path}`);
    return op ? [method, path, keysOf(op), scopeOf(op), op.status, shapeOf(op)] : [method, path, 'is missing'];
  });
  expect(found).toEqual(PUBLISHED);
});

test('every published operation is on the page of operations', () => {
  const page = anyParameter(readText('docs/operations.md'));
  const missing = PUBLISHED.filter(([method, path]) => !page.includes(`| ${method} | \`${path}\` |`));
  expect(missing).toEqual([]);
});

test('every published route outside the API is offered', () => {
  const routes = PUBLIC_ROUTES.map(({ method, path }) => `${method} ${anyParameter(path)}`);
  expect(routes).toEqual(expect.arrayContaining(PUBLISHED_ROUTES));
});
