import type { AffiliateCodeView } from './codes.wire.ts';
import type { LinkView } from './links.wire.ts';

export const linkExample: LinkView = {
  id: '0198f1c2-a530-7f44-8c02-2be7d1905a63',
  programId: '0198f1c2-8b10-7d02-8f3e-51c9a7e2b604',
  affiliateId: '0198f1c2-9c20-7e13-a4d5-66b0c3f8d927',
  name: 'Newsletter',
  code: 'ada-newsletter',
  url: 'https://acme.example/pricing?via=ada-newsletter',
  redirectUrl: 'https://referrals.acme.example/r/ada-newsletter',
  targetUrl: 'https://acme.example/pricing',
  isActive: true,
  totalClicks: 57,
  createdAt: '2026-01-16T14:20:00.000Z',
  updatedAt: '2026-01-16T14:20:00.000Z',
};

export const affiliateCodeExample: AffiliateCodeView = {
  affiliateId: linkExample.affiliateId,
  programId: linkExample.programId,
  code: 'ada-writes',
  changeableAt: '2026-01-17T14:20:00.000Z',
};

export const createdLinkExample = {
  data: { ...linkExample, totalClicks: 0 },
  body: { name: 'Newsletter', destination_path: '/pricing', custom_slug: 'ada-newsletter' },
};

export const createdAffiliateLinkExample = {
  data: {
    ...createdLinkExample.data,
    code: 'ada-spring-letter',
    url: 'https://acme.example/pricing?via=ada-spring-letter',
    redirectUrl: 'https://referrals.acme.example/r/ada-spring-letter',
  },
  body: { name: 'Newsletter', destinationPath: '/pricing', customSlug: 'ada-spring-letter' },
};

export const updatedLinkExample = { data: { ...linkExample, isActive: false }, body: { isActive: false } };
