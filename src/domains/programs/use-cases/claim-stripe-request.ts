import { type Context, inTransaction } from '../../../platform/context.ts';
import { firstRow, sql } from '../../../platform/database/sql.ts';

/** A request can be claimed once. Null when it was claimed, replaced or has expired, or when its key may no longer act. */
export const claimStripeRequest = (ctx: Context, input: { state: string }): Promise<{ programId: string } | null> =>
  inTransaction(ctx, async (ctx) => {
    const now = sql`${ctx.clock.now().toISOString()}::timestamptz`;
    return firstRow(
      ctx.em,
      sql<{ programId: string }>`update stripe_connect_request r set used_at = ${now}
        from api_key k where r.state = ${input.state}::uuid and r.used_at is null and r.expires_at > ${now}
          and k.id = r.key_id and k.revoked_at is null and (k.expires_at is null or k.expires_at > ${now})
        returning r.program_id as "programId"`,
    );
  });
