import type { KeyView } from '../auth/index.ts';
import type { PasskeyReplacementView, PasskeyView, StartedPasskeyView } from './passkeys.wire.ts';
import type {
  CompanyView,
  MemberView,
  OpenInviteView,
  PersonInviteView,
  SessionView,
  StartedSessionView,
} from './people.wire.ts';

export const memberExample: MemberView = {
  personId: '0198f1c2-0a10-7b3c-9d51-3e8f7a2b6c40',
  name: 'Grace Holt',
  email: 'grace@acme.example',
  role: 'finance',
  roleSince: '2026-01-16T14:00:00.000Z',
  approvesFrom: null,
  createdAt: '2026-01-16T14:00:00.000Z',
};

export const personInviteExample: PersonInviteView = {
  id: '0198f1c2-0b20-7c4d-8e62-4f907b3c7d51',
  email: 'grace@acme.example',
  role: 'finance',
  expiresAt: '2026-01-23T14:00:00.000Z',
  createdAt: '2026-01-16T14:00:00.000Z',
};

export const openInviteExample: OpenInviteView = {
  companyName: 'Acme',
  email: personInviteExample.email,
  role: 'finance',
  isKnown: false,
  expiresAt: personInviteExample.expiresAt,
};

export const startedSessionExample: StartedSessionView = {
  token: 'mF3vQk0Zb8d2h1YxTn6cR5sWj9uLpE4gAoIiKyNqDzU',
  expiresAt: '2026-01-30T14:00:00.000Z',
  home: 'merchant',
};

export const companyExample: CompanyView = {
  merchantId: '0198f1c2-0e50-7f70-a195-72c3ae6fa084',
  companyName: 'Acme',
  role: 'finance',
  isCurrent: true,
};

export const sessionExample: SessionView = {
  id: '0198f1c2-0c30-7d5e-9f73-50a18c4d8e62',
  device: 'Firefox on Linux',
  isCurrent: true,
  lastSeenAt: '2026-01-16T15:20:00.000Z',
  expiresAt: '2026-01-30T14:00:00.000Z',
  createdAt: '2026-01-16T14:00:00.000Z',
};

export const personKeyExample: KeyView = {
  id: '0198f1c2-9a3e-7b64-8d15-2c7f40e9b163',
  name: 'Monthly payouts',
  keyType: 'merchant',
  prefix: 'ak_live_',
  lastFour: 'q7Zk',
  scopes: ['payouts:read', 'payouts:write'],
  createdBy: memberExample.personId,
  createdAt: '2026-01-17T09:00:00.000Z',
  lastUsedAt: null,
  expiresAt: null,
  revokedAt: null,
};

export const removedPersonExample = {
  data: { personId: memberExample.personId, revokedKeys: 2, cancelled: [] },
  body: { keepKeys: [personKeyExample.id] },
};

export const passkeyExample: PasskeyView = {
  id: '0198f1c2-0d10-7e6f-8a84-61b29d5e9f73',
  name: 'Laptop',
  createdAt: '2026-01-16T14:00:00.000Z',
  lastUsedAt: null,
};

export const passkeyReplacementExample: PasskeyReplacementView = {
  personId: memberExample.personId,
  dueAt: '2026-01-17T14:00:00.000Z',
};

export const startedPasskeyExample: StartedPasskeyView = {
  challengeId: '0198f1c2-0e20-7f70-8b95-72c3ae6fa084',
  options: '{"challenge":"kq3vQk0Zb8d2h1YxTn6cR5sWj9uLpE4gAoIiKyNqDzU","rpId":"app.example.com"}',
};
