import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { AppError, invariant } from '../errors.ts';

/** Headers as Node and Fastify hand them over: lower-case names. */
export type IncomingHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

const PREFIX = 'whsec_';

/**
 * The `webhook-signature` header of the Standard Webhooks scheme: one `v1,<base64>` for every secret, parted by
 * blanks. The current secret stands first, because some receivers read only the first.
 */
export const signWebhook = (message: {
  id: string;
  timestampSeconds: number;
  body: string | Uint8Array;
  secrets: readonly string[];
}): string => {
  const { id, timestampSeconds, body, secrets } = message;
  invariant(secrets.length > 0, 'a webhook needs a secret to be signed with');
  return secrets.map((secret) => signatureOf(secret, `${id}.${timestampSeconds}.`, body)).join(' ');
};

/**
 * The signed id, when one of the secrets signed these exact bytes and the timestamp is within the tolerance; else a
 * AppError UNAUTHORIZED. It says nothing about repeats: the caller remembers ids.
 */
export const verifyWebhook = (message: {
  headers: IncomingHeaders;
  body: string | Uint8Array;
  secrets: readonly string[];
  nowSeconds: number;
  toleranceSeconds: number;
}): string => {
  const { headers, body, secrets, nowSeconds, toleranceSeconds } = message;
  const id = headers['webhook-id'];
  const timestamp = headers['webhook-timestamp'];
  const signatures = headers['webhook-signature'];
  if (typeof id !== 'string' || typeof timestamp !== 'string' || typeof signatures !== 'string') {
    throw unauthorized('The headers webhook-id, webhook-timestamp and webhook-signature are needed');
  }
  if (!/^[\x21-\x7e]{1,255}$/.test(id) || !/^[0-9]{1,12}$/.test(timestamp)) {
    throw unauthorized('webhook-id or webhook-timestamp is not in shape');
  }
  // Checked against the text that was sent: what is signed is the text, not the number.
  const expected = secrets.map((secret) => signatureOf(secret, `${id}.${timestamp}.`, body));
  const given = signatures.split(' ');
  if (!expected.some((right) => given.some((offered) => isSame(right, offered)))) {
    throw unauthorized('The webhook signature is not valid');
  }
  if (Math.abs(nowSeconds - Number(timestamp)) > toleranceSeconds) {
    throw unauthorized('The webhook timestamp is too far from now');
  }
  return id;
};

/**
 * `whsec_` and the base64 of 32 random bytes, drawn until the text reads the same in both base64 alphabets: published
 * samples disagree about which one decodes it.
 */
export const generateSigningSecret = (): string => {
  for (;;) {
    const text = randomBytes(32).toString('base64');
    if (!/[+/_-]/.test(text)) return PREFIX + text;
  }
};

const signatureOf = (secret: string, head: string, body: string | Uint8Array): string => {
  const key = Buffer.from(secret.slice(PREFIX.length), 'base64');
  // An empty key would let everybody sign.
  invariant(secret.startsWith(PREFIX) && key.length >= 16, 'a signing secret is whsec_ and base64 of 16 bytes or more');
  return `v1,${createHmac('sha256', key).update(head).update(body).digest('base64')}`;
};

const isSame = (right: string, offered: string): boolean => {
  const [a, b] = [Buffer.from(right), Buffer.from(offered)];
  return a.length === b.length && timingSafeEqual(a, b);
};

const unauthorized = (message: string): AppError => new AppError('UNAUTHORIZED', message);
