import { createHmac, randomBytes } from 'node:crypto';
import type { EntityManager } from '../database/orm.ts';
import { execute, firstRow, rows } from '../database/sql.ts';
import { StartupError } from '../startup-error.ts';
import { db } from '../tables.ts';
import { type CipherKey, createFieldCipher, type FieldCipher } from './field-cipher.ts';
import { type EncryptedColumn, isKeyInUse } from './reencrypt.ts';

/**
 * The cipher of this database. Throws a StartupError when a key differs from the key of the same id that the database was
 * used with, or when a key is missing that stored values may need. A new database adopts the keys, and gets a digest key.
 */
export const openCipher = async (
  em: EntityManager,
  keys: readonly CipherKey[],
  columns: readonly EncryptedColumn[],
): Promise<FieldCipher> => {
  // Only a process that may start registers keys: a wrong key would otherwise be required of all later starts.
  await assertNoneMissing(em, keys, columns);
  await registerKeys(em, keys);
  return createFieldCipher(keys, await openDigestKey(em, keys));
};

interface KnownKey {
  id: string;
  fingerprint: Buffer;
  position: number;
}

const fingerprintOf = ({ key }: CipherKey): Buffer =>
  createHmac('sha256', key).update('tributary encryption key fingerprint').digest();

/** Oldest first, so that positions follow the age of the keys. */
const registerKeys = async (em: EntityManager, keys: readonly CipherKey[]): Promise<void> => {
  const known = await readKnown(em);
  for (const key of keys.toReversed()) {
    const same = known.find(({ id }) => id === key.id) ?? (await register(em, key));
    if (!same.fingerprint.equals(fingerprintOf(key))) {
      throw new StartupError(
        `ENCRYPTION_KEYS: the key "${key.id}" is not the key of this id that the data in this database is encrypted with. Restore that key, or use another id for a new one.`,
      );
    }
  }
};

const readKnown = async (em: EntityManager): Promise<KnownKey[]> => {
  try {
    return await rows(em, db.selectFrom('encryption_key').select(['id', 'fingerprint', 'position']).orderBy('position'));
  } catch (error) {
    if (!isMissingTable(error)) throw error;
    throw new StartupError('The database schema is not up to date: run node bin/migrate.ts', { cause: error });
  }
};

const isMissingTable = (error: unknown): boolean => error instanceof Error && 'code' in error && error.code === '42P01';

/** Another process may register the key of this id at the same time; the first one counts. */
const register = async (em: EntityManager, key: CipherKey): Promise<KnownKey> => {
  await execute(
    em,
    db
      .insertInto('encryption_key')
      .values({ id: key.id, fingerprint: fingerprintOf(key) })
      .onConflict((conflict) => conflict.column('id').doNothing()),
  );
  const stored = (await readKnown(em)).find(({ id }) => id === key.id);
  if (stored === undefined) throw new StartupError(`ENCRYPTION_KEYS: the key "${key.id}" was removed by another process`);
  return stored;
};

/** An older key may be left out once nothing needs it; it is forgotten then, so that this is checked only once. */
const assertNoneMissing = async (
  em: EntityManager,
  keys: readonly CipherKey[],
  columns: readonly EncryptedColumn[],
): Promise<void> => {
  const known = await readKnown(em);
  const given = new Set(keys.map(({ id }) => id));
  const newest = known.findLast(({ id }) => given.has(id));
  for (const key of known.filter(({ id }) => !given.has(id))) {
    // Other processes encrypt with a key that this process does not have.
    const isNewer = key.position > (newest?.position ?? 0);
    if (isNewer || (await isKeyInUse(em, columns, key.id))) {
      throw new StartupError(
        `ENCRYPTION_KEYS: the key "${key.id}" is missing, and this database is used with it. Add it; to replace it, see "Rotate the encryption keys" in docs/runbook.md.`,
      );
    }
    await execute(em, db.deleteFrom('encryption_key').where('id', '=', key.id));
  }
};

const DIGEST_KEY = { table: 'installation_secret', column: 'ciphertext', row: 'digest_key' } as const;

/** Drawn once and never changed: with another one, returning customers would not be recognized. */
const openDigestKey = async (em: EntityManager, keys: readonly CipherKey[]): Promise<Buffer> => {
  const cipher = createFieldCipher(keys, Buffer.alloc(32));
  const read = () => firstRow(em, db.selectFrom('installation_secret').select('ciphertext').where('name', '=', DIGEST_KEY.row));
  if (!(await read())) {
    const ciphertext = cipher.encrypt(randomBytes(32).toString('base64'), DIGEST_KEY);
    await execute(
      em,
      db
        .insertInto('installation_secret')
        .values({ name: DIGEST_KEY.row, ciphertext })
        .onConflict((conflict) => conflict.column('name').doNothing()),
    );
  }
  const stored = await read();
  if (!stored) throw new StartupError('The digest key of this database is missing');
  return Buffer.from(cipher.decrypt(stored.ciphertext, DIGEST_KEY), 'base64');
};
