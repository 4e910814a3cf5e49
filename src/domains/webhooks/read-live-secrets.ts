import type { Context } from '../../platform/context.ts';
import { execute, rows, sql } from '../../platform/database/sql.ts';
import { secretCipherContext } from './webhook-secret.entity.ts';

interface SecretRow {
  id: string;
  ciphertext: string;
  live: boolean;
}

/** The decrypted secrets that sign now, current secret first. Deletes expired ones. */
export const readLiveSecrets = async (ctx: Context, endpointId: string): Promise<{ id: string; text: string }[]> => {
  const now = ctx.clock.now().toISOString();
  const found = await rows(
    ctx.em,
    sql<SecretRow>`select id, ciphertext, expires_at is null or expires_at > ${now}::timestamptz as live
      from webhook_secret where endpoint_id = ${endpointId}::uuid
      order by expires_at is null desc, created_at desc, id desc`,
  );
  const live = found.filter((secret) => secret.live);
  if (live.length < found.length) {
    await execute(
      ctx.em,
      sql`delete from webhook_secret where endpoint_id = ${endpointId}::uuid and expires_at <= ${now}::timestamptz`,
    );
  }
  return live.map(({ id, ciphertext }) => ({ id, text: ctx.cipher.decrypt(ciphertext, secretCipherContext(id)) }));
};
