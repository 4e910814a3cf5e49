import type { Context } from '../../platform/context.ts';
import { type RawBuilder, sql } from '../../platform/database/sql.ts';
import type { RecordedCall } from './rails/recorded-calls.ts';

const placeOf = (id: string) => ({ table: 'payout_evidence', column: 'content', row: id });

interface Evidence {
  payoutId: string;
  attempt: number;
  calls: readonly RecordedCall[];
}

/** A template, because it is a part of another statement. Stores nothing for a payee who was erased. */
export const insertEvidence = (ctx: Context, { payoutId, attempt, calls }: Evidence): RawBuilder<unknown> => {
  const id = ctx.ids.next();
  const content = ctx.cipher.encrypt(JSON.stringify(calls), placeOf(id));
  return sql`insert into payout_evidence (id, payout_id, attempt, content, created_at)
    select ${id}::uuid, p.id, ${attempt}::int, ${content}, ${ctx.clock.now().toISOString()}::timestamptz
    from payout p where p.id = ${payoutId}::uuid and p.details is not null`;
};

export const readEvidence = (ctx: Context, { id, content }: { id: string; content: string }): readonly RecordedCall[] =>
  JSON.parse(ctx.cipher.decrypt(content, placeOf(id))) as RecordedCall[];
