import type { Context } from '../../../platform/context.ts';
import { execute, sql } from '../../../platform/database/sql.ts';
import { mailboxDigest, recipientDigest } from '../recipient-digest.steps.ts';

/**
 * Removes an address, and what was written to it, from all mails: a queued one is given up and cannot be sent again. So are
 * mails about people whose profile was erased: what went to their PayPal addresses, and what tells merchants who applied.
 * Returns the number of mails. The second call finds none. A template: a test reads which columns it replaces.
 */
export const eraseMails = (ctx: Context, { address }: { address: string }): Promise<number> =>
  execute(
    ctx.em,
    sql`update mail set status = case status when 'queued' then 'given_up' else status end, recipient = null, payload = null,
        recipient_digest = 'erased ' || id, updated_at = ${ctx.clock.now().toISOString()}
      where id in (
        select id from mail where recipient_digest in (${recipientDigest(ctx, address)}, ${mailboxDigest(ctx, address)})
        union all
        select m.id from affiliate_profile p join mail m on m.kind = 'payout_details_changed' and m.subject_id = p.id
          where p.erased_at is not null and not starts_with(m.recipient_digest, 'erased ')
        union all
        select m.id from affiliate_profile p join application a on a.profile_id = p.id
          join mail m on m.kind in ('application_waiting','application_reminder') and m.subject_id = a.id
          where p.erased_at is not null and m.payload is not null)`,
  );
