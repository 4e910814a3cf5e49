import { sql } from '../../platform/database/sql.ts';

/** Position of the oldest open transaction: each event below it is visible, or was rolled back. */
export const EVENT_HORIZON = sql<number>`(select pg_snapshot_xmin(pg_current_snapshot())::text::bigint + ahead from event_order)`;
