import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import type { DataConverter, Payload, PayloadCodec } from '@temporalio/common';
import type { CipherKey } from '../platform/crypto/field-cipher.ts';
import { invariant } from '../platform/errors.ts';

/** As Temporal's own samples name it, so that their tools recognize an encrypted payload. */
const ENCODING = 'binary/encrypted';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

const textOf = (bytes: Uint8Array | null | undefined): string => Buffer.from(bytes ?? []).toString();

/** Metadata and data as JSON in base64: what is stored depends on no library. */
const pack = ({ metadata, data }: Payload): string => {
  const fields = Object.entries(metadata ?? {}).map(([name, value]) => [name, Buffer.from(value).toString('base64')]);
  return JSON.stringify({ metadata: Object.fromEntries(fields), data: Buffer.from(data ?? []).toString('base64') });
};

const unpack = (text: string): Payload => {
  const { metadata, data } = JSON.parse(text) as { metadata: Record<string, string>; data: string };
  const fields = Object.entries(metadata).map(([name, value]) => [name, Buffer.from(value, 'base64')] as const);
  return { metadata: Object.fromEntries(fields), data: Buffer.from(data, 'base64') };
};

/**
 * Encrypts what workflows are given and return: AES-256-GCM with a random 96-bit nonce (NIST SP 800-38D). The first key encrypts, all
 * keys decrypt; a payload names its key. What is not encrypted is left as it is, so a history may hold both. An unknown key throws.
 */
export const createPayloadCodec = (keys: readonly CipherKey[]): PayloadCodec => {
  const current = keys[0];
  invariant(current, 'a codec needs at least one key');
  const byId = new Map(keys.map(({ id, key }) => [id, key]));

  const encrypt = (payload: Payload): Payload => {
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv('aes-256-gcm', current.key, nonce).setAAD(Buffer.from(current.id));
    const encrypted = Buffer.concat([cipher.update(pack(payload), 'utf8'), cipher.final()]);
    return {
      metadata: { encoding: Buffer.from(ENCODING), 'encryption-key-id': Buffer.from(current.id) },
      data: Buffer.concat([nonce, cipher.getAuthTag(), encrypted]),
    };
  };

  const decrypt = (payload: Payload): Payload => {
    if (textOf(payload.metadata?.['encoding']) !== ENCODING) return payload;
    const id = textOf(payload.metadata?.['encryption-key-id']);
    const key = byId.get(id);
    if (!key) throw new Error(`A payload was encrypted under the key "${id}", which TEMPORAL_PAYLOAD_KEYS lacks`);
    const bytes = Buffer.from(payload.data ?? []);
    const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, NONCE_BYTES), { authTagLength: TAG_BYTES })
      .setAAD(Buffer.from(id))
      .setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
    return unpack(decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES), undefined, 'utf8') + decipher.final('utf8'));
  };

  return {
    encode: async (payloads) => payloads.map(encrypt),
    decode: async (payloads) => payloads.map(decrypt),
  };
};

/** Of clients and workers. Without keys, payloads are stored as they are. */
export const dataConverterOf = (keys: readonly CipherKey[] | undefined): DataConverter =>
  keys ? { payloadCodecs: [createPayloadCodec(keys)] } : {};
