import type { Context } from '../../platform/context.ts';
import { type EncryptedColumn, findEnds } from '../../platform/crypto/reencrypt.ts';

/** Decrypts the oldest and the newest value of each column: keys are replaced over time. Values are not returned. */
export const decryptSamples = async (
  ctx: Context,
  columns: readonly EncryptedColumn[],
): Promise<{ decrypted: number; failed: string[] }> => {
  let decrypted = 0;
  const failed = new Set<string>();
  for (const column of columns) {
    const { table, column: name } = column;
    for (const { id, ciphertext } of await findEnds(ctx, column)) {
      try {
        ctx.cipher.decrypt(ciphertext, { table, column: name, row: id });
        decrypted++;
      } catch {
        failed.add(`${table}.${name} (key ${ciphertext.split('.')[1]})`);
      }
    }
  }
  return { decrypted, failed: [...failed] };
};
