import { type RawBuilder, sql } from '../../platform/database/sql.ts';

/** E-mail addresses, and account numbers with or without letters. */
const PERSONAL = '[^[:space:]]+@[^[:space:]]+|[A-Z]{2}[0-9]{2}[ ]?[A-Z0-9][A-Z0-9 ]{6,}|[0-9][0-9 -]{6,}[0-9]';
const MAX_LENGTH = 200;

/** Text of a person, as workflows show it: their histories are not encrypted. */
export const shownText = (text: RawBuilder<unknown>): RawBuilder<string | null> =>
  sql<string | null>`left(regexp_replace(${text}, ${sql.lit(PERSONAL)}, '…', 'g'), ${sql.lit(MAX_LENGTH)})`;

/** The name of a key, or of the part of the system. */
export const shownActor = (actor: RawBuilder<unknown>): RawBuilder<string | null> =>
  sql<string | null>`coalesce((select ${shownText(sql`name`)} from api_key
    where id = nullif(substring(${actor} from '^key:(.*)$'), '')::uuid), ${actor})`;
