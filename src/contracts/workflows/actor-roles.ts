import type { Role } from '../people.ts';

/** Who did something, as workflows show it. `person`: one without a role now. */
export type ActorRole = Role | 'person' | 'api_key';
