import type { Context } from '../../platform/context.ts';
import { execute, sql } from '../../platform/database/sql.ts';
import type { ExternalReference } from './sale-input.ts';
import type { CumulativeRefund } from './sales.queries.ts';

/** `dispute`: one that was lost. */
export type RefundCause = 'refund' | 'dispute';

/** Keeps the largest total that was refunded of a sale; false when a larger one is known. The caller must hold the sale's lock. */
export const storeCumulativeRefund = async (
  ctx: Context,
  input: CumulativeRefund & { sale: ExternalReference; occurredAt: Date; cause: RefundCause },
): Promise<boolean> => {
  const { sale, refundedGross, chargedGross, occurredAt, cause } = input;
  const stored = await execute(
    ctx.em,
    sql`insert into sale_cumulative_refund as known
        (program_id, provider, external_sale_id, refunded_gross, charged_gross, cause, occurred_at, updated_at)
      values (${sale.programId}::uuid, ${sale.provider}, ${sale.externalId}, ${refundedGross}::bigint, ${chargedGross}::bigint,
        ${cause}, ${occurredAt.toISOString()}::timestamptz, ${ctx.clock.now().toISOString()}::timestamptz)
      on conflict (program_id, provider, external_sale_id) do update set refunded_gross = excluded.refunded_gross,
        charged_gross = excluded.charged_gross, cause = excluded.cause, occurred_at = excluded.occurred_at,
        updated_at = excluded.updated_at
      where excluded.refunded_gross > known.refunded_gross`,
  );
  return stored > 0;
};
