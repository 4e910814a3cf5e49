import type { RailAccountsView, RailAccountView } from './rail-accounts.wire.ts';

export const railAccountExample: RailAccountView = {
  id: '0198f1c2-c401-7a1f-9b5e-3d8c1f0a7e41',
  rail: 'paypal',
  label: 'PayPal',
  isCurrent: true,
  settings: { environment: 'live', clientId: '…9xQf' },
  status: 'ready',
  findings: [
    {
      name: 'webhook',
      isWarning: true,
      word: "The provider doesn't notify us of payments.",
      next: "Payouts work without it: we ask the provider instead, which takes longer. Make sure that the provider can reach this server's address over HTTPS.",
    },
  ],
  held: null,
  balances: { usd: 1_250_000 },
  checkedAt: '2026-02-01T09:00:00.000Z',
  unansweredAt: null,
  openPayments: 0,
  createdAt: '2026-01-20T10:00:00.000Z',
  updatedAt: '2026-02-01T09:00:00.000Z',
};

export const railAccountBodyExample = { environment: 'live', clientId: 'AbCd…9xQf', clientSecret: 'the secret of the app' };

export const railAccountChangesExample = { clientSecret: 'the new secret of the app' };

export const railAccountsExample: RailAccountsView = {
  accounts: [railAccountExample],
  rails: [
    {
      rail: 'paypal',
      label: 'PayPal',
      methods: ['paypal'],
      fields: [
        {
          name: 'clientId',
          label: 'Client ID',
          hint: 'Of your app in the developer dashboard',
          kind: 'text',
          isRequired: true,
          options: [],
        },
        { name: 'clientSecret', label: 'Secret', hint: null, kind: 'secret', isRequired: true, options: [] },
      ],
    },
  ],
  methods: [
    { method: 'paypal', rail: 'paypal', label: 'PayPal', chosen: 'paypal', options: [{ rail: 'manual', label: 'manual' }] },
    { method: 'bank_transfer', rail: 'manual', label: 'manual', chosen: null, options: [{ rail: 'manual', label: 'manual' }] },
  ],
};
