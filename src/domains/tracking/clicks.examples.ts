import type { ClickView } from './clicks.wire.ts';

export const clickExample: ClickView = {
  status: 'ok',
  reason: null,
  affiliateCode: 'ada',
  programId: '0198f1c2-8b10-7d02-8f3e-51c9a7e2b604',
  clickToken: 'clk_0198f1c29a3f7c0e8d21b6a5f4c3e297',
  cookieDuration: 30,
};

export const clickBodyExample = {
  programId: clickExample.programId,
  pageUrl: 'https://acme.example/pricing?via=ada&utm_source=newsletter',
  referralCode: 'ada',
  referrer: 'https://blog.example/best-tools',
  consentGranted: true,
};
