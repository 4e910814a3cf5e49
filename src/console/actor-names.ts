import type { Child } from './html.ts';
import { nameOf } from './name.ts';
import type { PageCall } from './page.ts';

/** What names people and keys; each is used only by those who may. */
export const NAMING_OPERATIONS = ['listPeople', 'listApiKeys'] as const;

type NamingCall = Pick<PageCall<(typeof NAMING_OPERATIONS)[number]>, 'call' | 'allows' | 'person'>;

/** Says who did something, as people know them: an actor such as `person:…` is never shown. */
export type ActorNames = (actor: string) => Child;

const UNNAMED: Readonly<Record<string, string>> = {
  person: 'Someone on your team',
  key: 'An API key',
  embed: 'The affiliate',
};

/** The part of this software that hears from payment providers. */
const PROVIDER = 'system:receiveRailNotification';
const OPERATOR = 'system:operator';

const unnamed = (actor: string): string => {
  if (actor === PROVIDER) return 'Payment provider';
  if (actor === OPERATOR) return 'The operator of this server';
  return UNNAMED[actor.split(':')[0] ?? ''] ?? 'Tributary';
};

/** The signed-in person as an actor of their company; null: nobody acts for one. */
export const ownActor = ({ person }: Pick<PageCall, 'person'>): string | null => {
  const actor = person?.merchant?.actor;
  if (actor?.kind === 'person') return `person:${actor.personId}`;
  return actor?.kind === 'key' ? `key:${actor.keyId}` : null;
};

export const readActorNames = async (call: NamingCall): Promise<ActorNames> => {
  const [people, keys] = await Promise.all([
    call.allows('listPeople') ? call.call('listPeople') : null,
    call.allows('listApiKeys') ? call.call('listApiKeys', { query: { limit: '100' } }) : null,
  ]);
  const names = new Map<string, string>([
    ...(people?.data ?? []).map(({ personId, name }): [string, string] => [`person:${personId}`, name]),
    ...(keys?.data ?? []).map(({ id, name }): [string, string] => [`key:${id}`, `API key ${name}`]),
  ]);
  const { person } = call;
  if (person) names.set(`person:${person.personId}`, person.name);
  return (actor) => {
    const name = names.get(actor);
    return name === undefined ? unnamed(actor) : nameOf(name);
  };
};
