import { ScheduleNotFoundError } from '@temporalio/client';
import { compareMarks, type DatabaseMark, type PaymentsHoldCause } from '../contracts/reconciliation.ts';
import { forkOf, type Orm } from '../platform/database/orm.ts';
import { firstRow, sql } from '../platform/database/sql.ts';
import type { Logger } from '../platform/logger.ts';
import { type Clients, withLongDeadline } from './client.ts';

// Templates: functions of the server.

export interface DatabaseMarksOptions {
  orm: Orm;
  clients: Clients;
  queuePrefix: string;
  log: Logger;
  /** Called when the database is not the one that was marked, before it is marked. May be called again. */
  hold(cause: Exclude<PaymentsHoldCause, 'operator'>): Promise<unknown>;
}

/** A paused Schedule without times: its note outlives the database, and needs no worker. */
const SCHEDULE = 'database-marks';

/** Compares the database with its mark in Temporal, holds payments where they differ, and marks it. The second call changes nothing. */
export const checkDatabaseMark = async (options: DatabaseMarksOptions): Promise<void> => {
  const found = await readMark(options.orm, options.log);
  const kept = await findKept(options);
  const cause = kept && compareMarks(kept, found);
  if (cause) await options.hold(cause);
  // An idle database has its mark already.
  if (JSON.stringify(kept) !== JSON.stringify(found)) await keep(options, found, kept === null);
};

const handleOf = ({ clients, queuePrefix }: DatabaseMarksOptions) =>
  clients.background.schedule.getHandle(queuePrefix + SCHEDULE);

const findKept = async (options: DatabaseMarksOptions): Promise<DatabaseMark | null> => {
  try {
    const { state } = await withLongDeadline(options.clients.background, () => handleOf(options).describe());
    return toMark(state.note ?? '');
  } catch (error) {
    if (error instanceof ScheduleNotFoundError) return null;
    throw error;
  }
};

/** Throws for a note that somebody else wrote: what it said is not known any more. */
const toMark = (note: string): DatabaseMark => {
  const { highest, identity, timeline } = JSON.parse(note) as DatabaseMark;
  if (!/^\d{1,19}$/.test(highest)) throw new Error(`The note of the Schedule ${SCHEDULE} is no mark of a database`);
  return { highest, identity, timeline };
};

const keep = async (options: DatabaseMarksOptions, mark: DatabaseMark, isNew: boolean): Promise<void> => {
  const { clients, queuePrefix } = options;
  const note = JSON.stringify(mark);
  const client = clients.background;
  if (!isNew) {
    const update = () => handleOf(options).update((schedule) => ({ ...schedule, state: { ...schedule.state, note } }));
    return withLongDeadline(client, update);
  }
  const create = () =>
    client.schedule.create({
      scheduleId: queuePrefix + SCHEDULE,
      spec: {},
      action: { type: 'startWorkflow', workflowType: 'databaseMarks', taskQueue: 'none', args: [] },
      state: { paused: true, note },
    });
  await withLongDeadline(client, create);
};

const readMark = async (orm: Orm, log: Logger): Promise<DatabaseMark> => {
  const found = await firstRow(
    forkOf(orm),
    sql<{ highest: string; timeline: number }>`select last_value::text as highest,
        ('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::int as timeline from outbox_seq_seq`,
  );
  if (!found) throw new Error('The outbox has no numbers');
  return { highest: found.highest, identity: await findIdentity(orm, log), timeline: found.timeline };
};

/** A server may not tell its identity to every role. */
const findIdentity = async (orm: Orm, log: Logger): Promise<string | null> => {
  try {
    const found = await firstRow(
      forkOf(orm),
      sql<{
        identity: string;
      }>`select system_identifier || ' ' || (select oid from pg_database where datname = current_database())
        as identity from pg_control_system()`,
    );
    return found?.identity ?? null;
  } catch (err) {
    log.debug({ err }, 'the identity of the database server is not known');
    return null;
  }
};
