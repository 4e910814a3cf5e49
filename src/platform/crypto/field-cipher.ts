import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createSecretKey,
  hkdfSync,
  type KeyObject,
  randomBytes,
} from 'node:crypto';
import { invariant } from '../errors.ts';

/** Where a secret is stored. Authenticated with the text, so a value copied to another row cannot be decrypted. */
export interface CipherContext {
  table: string;
  column: string;
  row: string;
}

/**
 * AES-256-GCM with a random 96-bit nonce (NIST SP 800-38D). Text form: `v1.<key id>.<base64url of nonce|tag|text>`.
 * The first key encrypts; all keys can decrypt, so that keys can be rotated.
 */
export interface FieldCipher {
  encrypt(text: string, context: CipherContext): string;
  decrypt(ciphertext: string, context: CipherContext): string;
  /** Whether the text is encrypted under the key that encrypts now. */
  isCurrent(ciphertext: string): boolean;
  /** Keyed hash (HMAC-SHA256, hex), to find a personal value without storing it. */
  digest(text: string, purpose: string): string;
}

export interface CipherKey {
  id: string;
  key: Buffer;
}

const boundTo = (context: CipherContext): Buffer => Buffer.from(`${context.table}\n${context.column}\n${context.row}`);

/** Digests have a key of their own: stored digests must be found again after every encryption key was replaced. */
export const createFieldCipher = (keys: readonly CipherKey[], digestKey: Buffer): FieldCipher => {
  const current = keys[0];
  invariant(current, 'a cipher needs at least one key');
  // Key objects are created once: creating one takes longer than using it.
  const byId = new Map(keys.map((entry) => [entry.id, createSecretKey(entry.key)]));
  const currentKey = createSecretKey(current.key);
  const digestKeyOf = (purpose: string) => createSecretKey(Buffer.from(hkdfSync('sha256', digestKey, '', purpose, 32)));
  const digestKeys = new Map<string, KeyObject>();

  return {
    encrypt(text, context) {
      const nonce = randomBytes(12);
      const cipher = createCipheriv('aes-256-gcm', currentKey, nonce).setAAD(boundTo(context));
      const encrypted = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
      return `v1.${current.id}.${Buffer.concat([nonce, cipher.getAuthTag(), encrypted]).toString('base64url')}`;
    },
    decrypt(ciphertext, context) {
      const [version, keyId, payload] = ciphertext.split('.');
      const key = keyId === undefined ? undefined : byId.get(keyId);
      invariant(version === 'v1' && key && payload, 'the ciphertext names a known key');
      const bytes = Buffer.from(payload, 'base64url');
      const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, 12))
        .setAAD(boundTo(context))
        .setAuthTag(bytes.subarray(12, 28));
      return Buffer.concat([decipher.update(bytes.subarray(28)), decipher.final()]).toString('utf8');
    },
    isCurrent: (ciphertext) => ciphertext.startsWith(`v1.${current.id}.`),
    digest(text, purpose) {
      const key = digestKeys.get(purpose) ?? digestKeyOf(purpose);
      digestKeys.set(purpose, key);
      return createHmac('sha256', key).update(text).digest('hex');
    },
  };
};
