import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { AppError, invariant } from '../errors.ts';

/** Headers as Node and Fastify hand them over: lower-case names. */
export type IncomingHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

const PREFIX = 'whsec_';

/**
 * The `webhook-signature` header of the Standard Webhooks scheme: one `v1,<base64>` per secret, separated by spaces. The
 * current secret comes first, because some receivers read only the first.
 */
export const signWebhook = (message: {
  id: string;
  timestampSeconds: number;
  body: string | Uint8Array;
  secrets: readonly string[];
}): string => {
  const { id, timestampSeconds, body, secrets } = message;
  invariant(secrets.length > 0, 'a webhook needs a secret');
  return secrets.map((secret) => signatureOf(secret, `${id}.${timestampSeconds}.`, body)).join(' ');
};

const SIGNATURE = /^v1,[A-Za-z0-9+/]{43}=$/;

/** Throws UNAUTHORIZED unless the headers can be those of a signed message. */
export const readSignatureHeaders = (
  headers: IncomingHeaders,
): { id: string; timestamp: string; signatures: readonly string[] } => {
  const id = headers['webhook-id'];
  const timestamp = headers['webhook-timestamp'];
  const signature = headers['webhook-signature'];
  if (typeof id !== 'string' || typeof timestamp !== 'string' || typeof signature !== 'string') {
    throw unauthorized('The headers webhook-id, webhook-timestamp and webhook-signature are required');
  }
  if (!/^[\x21-\x7e]{1,255}$/.test(id) || !/^[0-9]{1,12}$/.test(timestamp)) {
    throw unauthorized('webhook-id or webhook-timestamp is malformed');
  }
  // Signatures of other versions of the scheme may stand beside it.
  const signatures = signature.split(' ').filter((offered) => SIGNATURE.test(offered));
  if (signatures.length === 0) throw unauthorized('webhook-signature is not valid');
  return { id, timestamp, signatures };
};

/**
 * Returns the signed id if one of the secrets signed these exact bytes and the timestamp is within the tolerance.
 * Throws UNAUTHORIZED otherwise. Does not detect replays: the caller stores ids.
 */
export const verifyWebhook = (message: {
  headers: IncomingHeaders;
  body: string | Uint8Array;
  secrets: readonly string[];
  nowSeconds: number;
  toleranceSeconds: number;
}): string => {
  const { headers, body, secrets, nowSeconds, toleranceSeconds } = message;
  const { id, timestamp, signatures } = readSignatureHeaders(headers);
  // The signature covers the text of the timestamp, not its number.
  const expected = secrets.map((secret) => signatureOf(secret, `${id}.${timestamp}.`, body));
  if (!expected.some((right) => signatures.some((offered) => isSame(right, offered)))) {
    throw unauthorized('webhook-signature is not valid');
  }
  if (Math.abs(nowSeconds - Number(timestamp)) > toleranceSeconds) {
    throw unauthorized(`webhook-timestamp is outside the ${toleranceSeconds / 60}-minute tolerance`);
  }
  return id;
};

/**
 * `whsec_` and the base64 of 32 random bytes, generated until the text is the same in both base64 alphabets: published
 * samples disagree about which one to decode with.
 */
export const generateSigningSecret = (): string => {
  for (;;) {
    const text = randomBytes(32).toString('base64');
    if (!/[+/_-]/.test(text)) return PREFIX + text;
  }
};

const signatureOf = (secret: string, head: string, body: string | Uint8Array): string => {
  const key = Buffer.from(secret.slice(PREFIX.length), 'base64');
  // With an empty key anyone could sign.
  invariant(secret.startsWith(PREFIX) && key.length >= 16, 'a signing secret is whsec_ and base64 of 16 bytes or more');
  return `v1,${createHmac('sha256', key).update(head).update(body).digest('base64')}`;
};

const isSame = (right: string, offered: string): boolean => {
  const [a, b] = [Buffer.from(right), Buffer.from(offered)];
  return a.length === b.length && timingSafeEqual(a, b);
};

const unauthorized = (message: string): AppError => new AppError('UNAUTHORIZED', message);
