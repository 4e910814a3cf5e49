import type { Context } from '../../platform/context.ts';
import { rows, sql } from '../../platform/database/sql.ts';

/** Where encrypted values are stored. */
const ENCRYPTED = [
  { table: 'affiliate_profile', column: 'payout_details', id: 'id' },
  { table: 'payout', column: 'details', id: 'id' },
  { table: 'mail', column: 'recipient', id: 'id' },
  { table: 'program_event_secret', column: 'ciphertext', id: 'id' },
  { table: 'stripe_signing_secret', column: 'ciphertext', id: 'program_id' },
  { table: 'webhook_secret', column: 'ciphertext', id: 'id' },
  { table: 'webhook_endpoint', column: 'header_ciphertext', id: 'id' },
] as const;

interface Sample {
  row: string;
  ciphertext: string;
}

/** Decrypts the oldest and the newest value of each column: keys are replaced over time. Values are not returned. */
export const decryptSamples = async (ctx: Context): Promise<{ decrypted: number; failed: string[] }> => {
  let decrypted = 0;
  const failed: string[] = [];
  for (const { table, column, id } of ENCRYPTED) {
    const [from, value, key] = [sql.table(table), sql.ref(column), sql.ref(id)];
    const samples = await rows(
      ctx.em,
      sql<Sample>`(select ${key}::text as row, ${value} as ciphertext from ${from} where ${value} is not null order by ${key} limit 1)
        union (select ${key}::text, ${value} from ${from} where ${value} is not null order by ${key} desc limit 1)`,
    );
    for (const { row, ciphertext } of samples) {
      try {
        ctx.cipher.decrypt(ciphertext, { table, column, row });
        decrypted++;
      } catch {
        failed.push(`${table}.${column} (key ${ciphertext.split('.')[1]})`);
      }
    }
  }
  return { decrypted, failed: [...new Set(failed)] };
};
