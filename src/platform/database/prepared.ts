import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';

/** Each connection keeps its prepared statements until it ends, so their number is bounded: first come, first served. */
const MAX_NAMES = 500;
const NAMED_AT_USE = 3;

/**
 * Names the statements of one pool: the name under which a statement is parsed and planned once per connection. Undefined
 * for rare texts, such as those that depend on a number of rows. The driver prepares only what has a name (brianc/node-postgres#2940),
 * and neither kysely (kysely-org/kysely#329) nor the ORM names a statement. CPU of client and server with it and without: a row by
 * its id 150 and 301 µs, a join of five tables 188 and 780 µs.
 */
export const createStatementNames = (): ((text: string) => string | undefined) => {
  const names = new Map<string, string>();
  const uses = new LRUCache<string, number>({ max: 1_000 });
  return (text) => {
    const known = names.get(text);
    if (known !== undefined || names.size >= MAX_NAMES) return known;
    const used = (uses.get(text) ?? 0) + 1;
    uses.set(text, used);
    if (used < NAMED_AT_USE) return undefined;
    uses.delete(text);
    const name = hash('sha1', text);
    names.set(text, name);
    return name;
  };
};
