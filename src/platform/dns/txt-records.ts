import { Resolver } from 'node:dns/promises';
import { SECOND_MS } from '../clock.ts';

/** The texts at a name: none when there is no such name or record, null when no server has said so in time. */
export type FindTxtRecords = (name: string) => Promise<readonly string[] | null>;

const TRY_MS = 2 * SECOND_MS;
const TRIES = 2;
/** Time for all servers and tries together. */
const DEADLINE_MS = 5 * SECOND_MS;
/** A name may hold any number of records of others. */
const MAX_RECORDS = 100;

const isAbsent = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && (error.code === 'ENOTFOUND' || error.code === 'ENODATA');

/** Asks these servers, such as `127.0.0.1:5353`; without any, those of the machine. */
export const createTxtLookup =
  (servers: readonly string[]): FindTxtRecords =>
  async (name) => {
    const resolver = new Resolver({ timeout: TRY_MS, tries: TRIES });
    if (servers.length > 0) resolver.setServers(servers);
    const late = setTimeout(() => resolver.cancel(), DEADLINE_MS);
    try {
      const records = await resolver.resolveTxt(name);
      // A long text is sent in parts.
      return records.slice(0, MAX_RECORDS).map((parts) => parts.join(''));
    } catch (error) {
      return isAbsent(error) ? [] : null;
    } finally {
      clearTimeout(late);
    }
  };
