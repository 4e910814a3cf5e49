import type { Context } from '../../platform/context.ts';
import { rows, sql } from '../../platform/database/sql.ts';

/** Where encrypted values are stored. */
const ENCRYPTED = [
  { table: 'affiliate_profile', column: 'payout_details' },
  { table: 'payout', column: 'details' },
  { table: 'program_event_secret', column: 'ciphertext' },
  { table: 'webhook_secret', column: 'ciphertext' },
] as const;

interface Sample {
  row: string;
  ciphertext: string;
}

/** Decrypts the oldest and the newest value of each column: keys are replaced over time. Values are not returned. */
export const decryptSamples = async (ctx: Context): Promise<{ decrypted: number; failed: string[] }> => {
  let decrypted = 0;
  const failed: string[] = [];
  for (const { table, column } of ENCRYPTED) {
    const [from, value] = [sql.table(table), sql.ref(column)];
    const samples = await rows(
      ctx.em,
      sql<Sample>`(select id::text as row, ${value} as ciphertext from ${from} where ${value} is not null order by id limit 1)
        union (select id::text, ${value} from ${from} where ${value} is not null order by id desc limit 1)`,
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
