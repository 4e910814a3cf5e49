import { type RawBuilder, sql } from '../../platform/database/sql.ts';

/** E-mail addresses, and account numbers with or without letters. */
const PERSONAL = '[^[:space:]]+@[^[:space:]]+|[A-Z]{2}[0-9]{2}[ ]?[A-Z0-9][A-Z0-9 ]{6,}|[0-9][0-9 -]{6,}[0-9]';
const MAX_LENGTH = 200;

/** Text of a person, as workflows show it: their histories are not encrypted. */
export const shownText = (text: RawBuilder<unknown>): RawBuilder<string | null> =>
  sql<string | null>`left(regexp_replace(${text}, ${sql.lit(PERSONAL)}, '…', 'g'), ${sql.lit(MAX_LENGTH)})`;

/** The name of a key. */
export const shownKey = (id: RawBuilder<unknown>): RawBuilder<string | null> =>
  sql<string | null>`(select ${shownText(sql`name`)} from api_key where id = ${id})`;

/** The name of the key, or of the part of the system, that `actorName` names. */
export const shownActor = (actor: RawBuilder<unknown>): RawBuilder<string | null> =>
  sql<string | null>`coalesce(${shownKey(sql`substring(${actor} from '^key:([0-9a-f-]{36})$')::uuid`)}, ${actor})`;
