import type { Context } from '../../../platform/context.ts';
import { firstRow, sql } from '../../../platform/database/sql.ts';

export interface DropResult {
  /** Name of the partition. Null when nothing was dropped. */
  dropped: string | null;
  /** True when one could be dropped, but its table was in use: repeat the call. */
  busy: boolean;
}

/** Drops at most one partition: the oldest month of attempts, deliveries, events or clicks that has expired and holds nothing open. */
export const dropExpiredPartition = async (ctx: Context): Promise<DropResult> =>
  (await firstRow(ctx.em, sql<DropResult>`select dropped, busy from drop_expired_partition()`)) ?? { dropped: null, busy: false };
