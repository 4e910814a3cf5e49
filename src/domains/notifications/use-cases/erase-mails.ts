import type { Context } from '../../../platform/context.ts';
import { execute, sql } from '../../../platform/database/sql.ts';
import { recipientDigest } from '../write-mail.ts';

/**
 * Removes an address, and what was written to it, from all mails: a queued one is given up and cannot be sent again. Returns
 * the number of mails. The second call finds none.
 */
export const eraseMails = (ctx: Context, { address }: { address: string }): Promise<number> =>
  execute(
    ctx.em,
    sql`update mail set status = case status when 'queued' then 'given_up' else status end, recipient = null, payload = null,
        recipient_digest = 'erased ' || id, updated_at = ${ctx.clock.now().toISOString()}::timestamptz
      where recipient_digest = ${recipientDigest(ctx, address)}`,
  );
