import type { Context } from '../../../platform/context.ts';
import { execute, sql } from '../../../platform/database/sql.ts';
import type { Sale } from '../sale.entity.ts';

/** What refers to a sale by its program. */
const REFERRING = ['sale_refund', 'sale_cumulative_refund', 'sale_dispute'] as const;

/**
 * Moves a sale that nobody was ever credited for to another program of its merchant, with what refers to it: its program became
 * known later. The caller holds the locks of the sale, by its name in both programs and of its row.
 */
export const moveSale = async (ctx: Context, sale: Sale, programId: string): Promise<void> => {
  const { programId: from, provider, externalId } = sale;
  if (from === programId) return;
  sale.programId = programId;
  // A template, as it is the same for several tables.
  for (const table of REFERRING)
    await execute(
      ctx.em,
      sql`update ${sql.table(table)} set program_id = ${programId}
        where program_id = ${from} and provider = ${provider} and external_sale_id = ${externalId}`,
    );
};
