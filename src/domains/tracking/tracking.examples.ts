import type { ClickStatsView, TrackingStatusView } from './tracking.wire.ts';

export const clickStatsExample: ClickStatsView = {
  totalClicks: 132,
  startDate: '2026-01-01',
  endDate: '2026-01-30',
  byLink: [
    { linkId: null, name: null, code: 'ada', clicks: 120 },
    { linkId: '0198f1c2-9d20-7b44-a3c1-7e52f0b8d916', name: 'Newsletter', code: 'ada-news', clicks: 12 },
  ],
  byDay: [
    { day: '2026-01-15', clicks: 100 },
    { day: '2026-01-16', clicks: 32 },
  ],
  bySource: [
    { source: 'newsletter', clicks: 90 },
    { source: 'direct', clicks: 42 },
  ],
};

const lastClickAt = '2026-01-16T09:30:00.000Z';
const lastSaleAt = '2026-01-16T08:12:45.000Z';

export const trackingStatusExample: TrackingStatusView = {
  programId: '0198f1c2-8b10-7d02-8f3e-51c9a7e2b604',
  status: 'active',
  readiness: 'ready',
  stats: { clicksLast24Hours: 32, salesLast24Hours: 2 },
  recent: { lastClickAt, lastSaleAt, lastScriptSeenAt: lastClickAt },
  health: {
    website: { complete: true, domain: 'acme.example' },
    scriptInstalled: { complete: true, lastSeenAt: lastClickAt, page: 'https://acme.example/pricing' },
    affiliates: { complete: true },
    clicks: { complete: true, lastClickAt },
    paymentSource: {
      complete: true,
      stripeConnectedAt: null,
      stripeSecretSetAt: null,
      eventSecretIssuedAt: '2026-01-15T09:30:00.000Z',
      eventSecretLastUsedAt: lastSaleAt,
    },
    sales: { complete: true, lastSaleAt },
  },
  warnings: [],
  summary: 'Clicks and sales arrive.',
};
