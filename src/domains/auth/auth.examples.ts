import type { KeyView } from './auth.wire.ts';

export const keyExample: KeyView = {
  id: '0198f1c2-7a4e-7c31-9f0a-2f1d3b6c8e11',
  name: 'Backend',
  keyType: 'merchant',
  prefix: 'ak_live_',
  lastFour: 'x7Qa',
  scopes: ['programs:read', 'payouts:write'],
  createdBy: null,
  createdAt: '2026-01-15T09:30:00.000Z',
  lastUsedAt: null,
  expiresAt: null,
  revokedAt: null,
};

export const createdKeyExample = {
  data: { key: keyExample, value: 'ak_live_…' },
  body: { name: 'Backend', preset: 'readonly' },
};

export const revokedKeyExample = { ...keyExample, revokedAt: '2026-02-01T08:00:00.000Z', descendants: 0, cancelled: [] };
