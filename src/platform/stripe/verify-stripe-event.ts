import type { IncomingHeaders } from '../crypto/standard-webhooks.ts';
import { AppError, invariant } from '../errors.ts';
import { loadStripe } from './stripe-client.ts';

const TOLERANCE_SECONDS = 300;

export interface SignedStripeEvent {
  headers: IncomingHeaders;
  rawBody: Buffer;
  secret: string;
  now: Date;
}

const ESCAPE = /\\u(?:d[89ab]..\\ud[c-f]..|(0000|d[89a-f]..))|\\./gi;

/** Postgres stores neither null characters nor halves of a surrogate pair: U+FFFD stands for them. In JSON they are escapes. */
const withStorableText = (json: string): string =>
  json.replaceAll(ESCAPE, (found, odd?: string) => (odd === undefined ? found : '\\ufffd'));

const notSigned = (): AppError =>
  new AppError('UNAUTHORIZED', 'The header stripe-signature is not valid, or is older than 5 minutes');

const SIGNED_AT = /(?:^|,)t=\d{1,12}(?:,|$)/;
const SIGNATURE = /(?:^|,)v1=[0-9a-f]{64}(?:,|$)/;

/** Throws UNAUTHORIZED unless the header can be that of a signed event. */
export const readStripeSignature = (headers: SignedStripeEvent['headers']): string => {
  const signature = headers['stripe-signature'];
  if (typeof signature !== 'string') throw new AppError('UNAUTHORIZED', 'The header stripe-signature is required');
  if (!SIGNED_AT.test(signature) || !SIGNATURE.test(signature)) throw notSigned();
  return signature;
};

/**
 * The JSON of an event that Stripe signed within the last five minutes. Throws UNAUTHORIZED for any other. Messages of the
 * library quote the body, so they are not passed on. Null: signed, but not JSON.
 */
export const verifyStripeEvent = async ({ headers, rawBody, secret, now }: SignedStripeEvent): Promise<unknown> => {
  const signature = readStripeSignature(headers);
  const { webhooks } = await loadStripe();
  invariant(webhooks.signature, 'the library verifies signatures');
  try {
    webhooks.signature.verifyHeader(rawBody, signature, secret, TOLERANCE_SECONDS, undefined, now.getTime());
  } catch {
    // Some headers make the library throw other errors than its own: they are no signatures either.
    throw notSigned();
  }
  return parse(rawBody);
};

const parse = (rawBody: Buffer): unknown => {
  try {
    return JSON.parse(withStorableText(rawBody.toString()));
  } catch {
    return null;
  }
};
