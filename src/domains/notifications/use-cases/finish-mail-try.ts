import { isFinalMailError, type MailError, type MailSnapshot } from '../../../contracts/mail.ts';
import type { Context } from '../../../platform/context.ts';
import { firstRow, sql } from '../../../platform/database/sql.ts';
import { invariant } from '../../../platform/errors.ts';
import { findMailSnapshot, SNAPSHOT } from '../mails.queries.ts';

export interface FinishMailTryInput {
  mailId: string;
  /** Null: the mail was accepted. */
  failure: { error: MailError; smtpCode: number | null } | null;
  /** No try follows this one. */
  last: boolean;
}

/** Records a try. The address and the text of a mail that was sent are removed: only its digest stays. */
export const finishMailTry = async (ctx: Context, { mailId, failure, last }: FinishMailTryInput): Promise<MailSnapshot> => {
  const at = ctx.clock.now().toISOString();
  const isGivenUp = failure !== null && (last || isFinalMailError(failure.error));
  const changed = failure
    ? await firstRow(
        ctx.em,
        sql<MailSnapshot>`update mail set status = ${isGivenUp ? 'given_up' : 'queued'}, last_error = ${failure.error},
          smtp_code = ${failure.smtpCode}::int, updated_at = ${at}::timestamptz
          where id = ${mailId}::uuid and status = 'queued' returning ${SNAPSHOT}`,
      )
    : await firstRow(
        ctx.em,
        sql<MailSnapshot>`update mail set status = 'sent', sent_at = ${at}::timestamptz, recipient = null, payload = null,
          last_error = null, smtp_code = null, updated_at = ${at}::timestamptz
          where id = ${mailId}::uuid and status <> 'sent' returning ${SNAPSHOT}`,
      );
  const snapshot = changed ?? (await findMailSnapshot(ctx, mailId));
  invariant(snapshot, 'mails that are queued are not deleted');
  return snapshot;
};
