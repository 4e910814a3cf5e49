import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import type { DataConverter, Payload, PayloadCodec } from '@temporalio/common';
import type { CipherKey } from '../platform/crypto/field-cipher.ts';

/** The name that Temporal's own samples use, so that their tools recognize an encrypted payload. */
const ENCODING = 'binary/encrypted';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

const textOf = (bytes: Uint8Array | null | undefined): string => Buffer.from(bytes ?? []).toString();

/** A payload as protobuf JSON: bytes are base64. */
export interface PayloadJson {
  metadata: Record<string, string>;
  data: string;
}

const mapValues = <A, B>(of: Readonly<Record<string, A>>, to: (value: A) => B): Record<string, B> =>
  Object.fromEntries(Object.entries(of).map(([name, value]) => [name, to(value)]));

const bytesOf = (text: string): Buffer => Buffer.from(text, 'base64');
const base64Of = (bytes: Uint8Array | null | undefined): string => Buffer.from(bytes ?? []).toString('base64');

export const payloadToJson = ({ metadata, data }: Payload): PayloadJson => ({
  metadata: mapValues(metadata ?? {}, base64Of),
  data: base64Of(data),
});

export const payloadFromJson = ({ metadata, data }: PayloadJson): Payload => ({
  metadata: mapValues(metadata, bytesOf),
  data: bytesOf(data),
});

export interface PayloadKeys {
  /** They decrypt. */
  keys: readonly CipherKey[];
  /** The one that encrypts; null: nothing is encrypted any more. */
  current: CipherKey | null;
}

/**
 * Encrypts what workflows are given and return: AES-256-GCM with a random 96-bit nonce (NIST SP 800-38D). A payload names its key. What
 * is not encrypted is left as it is, so a history may hold both. An unknown key throws.
 */
export const createPayloadCodec = ({ keys, current }: PayloadKeys): PayloadCodec => {
  const byId = new Map(keys.map(({ id, key }) => [id, key]));

  const encrypt = (payload: Payload): Payload => {
    if (current === null) return payload;
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv('aes-256-gcm', current.key, nonce).setAAD(Buffer.from(current.id));
    const encrypted = Buffer.concat([cipher.update(JSON.stringify(payloadToJson(payload)), 'utf8'), cipher.final()]);
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
    const text = decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES), undefined, 'utf8') + decipher.final('utf8');
    return payloadFromJson(JSON.parse(text) as PayloadJson);
  };

  return {
    encode: async (payloads) => payloads.map(encrypt),
    decode: async (payloads) => payloads.map(decrypt),
  };
};

/** Converts payloads for clients and workers. Without keys, payloads are stored unchanged. */
export const dataConverterOf = (keys: PayloadKeys | undefined): DataConverter =>
  keys ? { payloadCodecs: [createPayloadCodec(keys)] } : {};
