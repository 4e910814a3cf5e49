import { createProgramBody, updateProgramBody } from '../../../src/domains/programs/programs.wire.ts';
import { type RejectedBody, unreportedBodies } from '../../support/rejected-bodies.ts';

const minimal = { name: 'Acme Partners', commissionType: 'recurring', commissionPercent: 20 };

const OF_NEW: readonly RejectedBody[] = [
  ['name', { name: undefined }],
  ['name', { name: 'x'.repeat(101) }],
  ['name', { name: 'two\nlines' }],
  ['commissionType', { commissionType: undefined }],
  ['commissionType', { commissionType: 'percentage' }],
  ['commissionPercent', { commissionPercent: undefined }],
  ['commissionPercent', { commissionPercent: 0.99 }],
  ['commissionPercent', { commissionPercent: 100.01 }],
  ['commissionPercent', { commissionPercent: 12.345 }],
  ['commissionPercent', { commissionPercent: '20' }],
  ['description', { description: 'x'.repeat(501) }],
  ['description', { description: 'null \u0000 character' }],
  ['website', { website: 'acme.example' }],
  ['website', { website: 'ftp://acme.example' }],
  ['landingPageUrl', { landingPageUrl: 'javascript:alert(1)' }],
  ['portalSlug', { portalSlug: 'ab' }],
  ['portalSlug', { portalSlug: 'Acme' }],
  ['portalSlug', { portalSlug: 'a_b' }],
  ['portalSlug', { portalSlug: 'x'.repeat(51) }],
  ['marketplaceStatus', { marketplaceStatus: 'pending' }],
  ['applicationAccess', { applicationAccess: 'closed' }],
  ['marketplaceCategory', { marketplaceCategory: '' }],
  ['marketplaceDescription', { marketplaceDescription: 'x'.repeat(2001) }],
  ['commissionLimitMonths', { commissionType: 'recurring_limited', commissionLimitMonths: 0 }],
  ['commissionLimitMonths', { commissionType: 'recurring_limited', commissionLimitMonths: 37 }],
  ['commissionHoldDays', { commissionHoldDays: -1 }],
  ['commissionHoldDays', { commissionHoldDays: 366 }],
  ['cookieDuration', { cookieDuration: 0 }],
  ['cookieDuration', { cookieDuration: 366 }],
  ['payoutThreshold', { payoutThreshold: 1000.5 }],
  ['payoutFrequency', { payoutFrequency: 'daily' }],
  ['currency', { currency: 'XXXX' }],
  ['currency', { currency: 'zzz' }],
  ['autoApproveAffiliates', { autoApproveAffiliates: 'true' }],
  ['reviewNewAffiliates', { reviewNewAffiliates: 'true' }],
  ['joinCustomersByEmail', { joinCustomersByEmail: null }],
  ['status', { status: 'paused' }],
  ['slug', { slug: 'mine' }],
  ['merchantId', { merchantId: '0198f1c2-7a4e-7c31-9f0a-000000000000' }],
];

const OF_CHANGES: readonly RejectedBody[] = [
  ['name', { name: null }],
  ['commissionPercent', { commissionPercent: 0 }],
  ['status', { status: 'deleted' }],
  ['currency', { currency: 'euro' }],
  ['cookieDuration', { cookieDuration: null }],
  ['allowCustomDestinations', { allowCustomDestinations: null }],
  ['applicationFields.0.label', { applicationFields: [{ label: ' ', isRequired: true }] }],
  ['applicationFields', { applicationFields: Array.from({ length: 11 }, (_, n) => ({ label: `${n}`, isRequired: true })) }],
  [
    'applicationFields',
    {
      applicationFields: [
        { label: 'A', isRequired: true },
        { label: 'A', isRequired: false },
      ],
    },
  ],
  ['allowedLandingPages', { allowedLandingPages: null }],
  ['allowedLandingPages', { allowedLandingPages: Array.from({ length: 51 }, (_, n) => ({ path: `/${n}`, label: 'Page' })) }],
  [
    'allowedLandingPages',
    {
      allowedLandingPages: [
        { path: '/a', label: 'A' },
        { path: '/a', label: 'B' },
      ],
    },
  ],
  ['allowedLandingPages.0.path', { allowedLandingPages: [{ path: '//evil.example', label: 'A' }] }],
  ['allowedLandingPages.0.path', { allowedLandingPages: [{ path: 'pricing', label: 'A' }] }],
  ['allowedLandingPages.0.label', { allowedLandingPages: [{ path: '/a', label: ' ' }] }],
  ['allowedLandingPages.0.url', { allowedLandingPages: [{ path: '/a', label: 'A', url: 'https://acme.example' }] }],
  ['slug', { slug: 'mine' }],
  ['termsUrl', { termsUrl: 'javascript:alert(1)' }],
  ['trackingRequiresConsent', { trackingRequiresConsent: 'yes' }],
  ['trackingParamAliases.0', { trackingParamAliases: ['Via'] }],
  ['trackingParamAliases', { trackingParamAliases: Array.from({ length: 11 }, (_, at) => `a${at}`) }],
  ['embedOrigins', { embedOrigins: null }],
  ['embedOrigins', { embedOrigins: Array.from({ length: 11 }, (_, at) => `https://a${at}.example`) }],
  ['embedOrigins', { embedOrigins: ['https://app.acme.example', 'https://app.acme.example'] }],
  ['embedOrigins.0', { embedOrigins: ['http://app.acme.example'] }],
  ['embedOrigins.0', { embedOrigins: ['https://app.acme.example/'] }],
  ['embedOrigins.0', { embedOrigins: ['https://*.acme.example'] }],
  ['embedOrigins.0', { embedOrigins: ["https://app.acme.example; script-src 'unsafe-inline'"] }],
  ['embedOrigins.0', { embedOrigins: ['https://10.0.0.1'] }],
  ['embedOrigins.0', { embedOrigins: ['https://app.acme.example:99999'] }],
  ['embedOrigins.0', { embedOrigins: ['*'] }],
  ['stripeAccountId', { stripeAccountId: 'acct_1' }],
];

test('a new program reports each invalid field by name', () => {
  expect(createProgramBody.safeParse(minimal).success).toBe(true);
  const bodies = OF_NEW.map(([path, wrong]): RejectedBody => [path, { ...minimal, ...wrong }]);
  expect(unreportedBodies(createProgramBody, bodies)).toEqual([]);
});

test('a change of a program reports each invalid field by name', () => {
  expect(updateProgramBody.safeParse({}).success).toBe(true);
  expect(unreportedBodies(updateProgramBody, OF_CHANGES)).toEqual([]);
});
