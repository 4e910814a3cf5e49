import { inviteStatusOf } from '../../../src/domains/invites/invite-status.rules.ts';

const now = new Date('2026-01-16T12:00:00.000Z');
const at = (ms: number): Date => new Date(now.getTime() + ms);

it.each([
  ['open', { usageCount: 0, usageLimit: 1, expiresAt: at(1) }, 'active'],
  ['expired', { usageCount: 0, usageLimit: 1, expiresAt: at(0) }, 'active'],
  ['used_up', { usageCount: 1, usageLimit: 1, expiresAt: at(-1) }, 'paused'],
  ['open', { usageCount: 2, usageLimit: 3, expiresAt: at(1) }, 'active'],
  ['program_inactive', { usageCount: 0, usageLimit: 1, expiresAt: at(1) }, 'paused'],
  ['program_inactive', { usageCount: 0, usageLimit: 1, expiresAt: at(1) }, 'archived'],
  ['expired', { usageCount: 0, usageLimit: 1, expiresAt: at(-1) }, 'archived'],
] as const)('an invite is %s: %j in a program that is %s', (status, invite, program) => {
  expect(inviteStatusOf(invite, program, now)).toBe(status);
});
