import type { ActorRole } from '../contracts/workflows/actor-roles.ts';

const ROLES: Readonly<Record<ActorRole, string>> = {
  owner: 'an owner',
  finance: 'someone from finance',
  manager: 'a manager',
  viewer: 'a viewer',
  person: 'a person',
  api_key: 'an API key',
};

const isRole = (actor: string): actor is ActorRole => Object.hasOwn(ROLES, actor);

/** Who did something, without a name: workflow histories are not encrypted, and outlast an erasure. */
export const actorText = (actor: string): string => {
  if (isRole(actor)) return ROLES[actor];
  if (actor === 'system:receiveRailNotification') return 'the provider';
  if (actor === 'operator') return 'an operator';
  return actor.startsWith('system:') ? 'Tributary' : ROLES.person;
};
