import type { Role } from '../../../contracts/people.ts';

export const ROLE_OPTIONS: readonly { value: Role; label: string; hint: string }[] = [
  { value: 'owner', label: 'Owner', hint: 'Everything, with people, API keys and rules of approval' },
  { value: 'finance', label: 'Finance', hint: 'Sees everything, pays and approves' },
  { value: 'manager', label: 'Manager', hint: 'Sees everything, runs programs, affiliates and webhooks; does not pay' },
  { value: 'viewer', label: 'Viewer', hint: 'Sees everything, and changes nothing' },
];

export const roleLabel = (role: Role): string => ROLE_OPTIONS.find(({ value }) => value === role)?.label ?? role;
