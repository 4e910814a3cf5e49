import type { z } from 'zod';
import type { Reason } from '../../contracts/error-codes.ts';
import type { Context } from '../context.ts';

/**
 * An endpoint outside /api/v1 for payment systems and payout providers. They authenticate with a signature over the raw
 * bytes instead of an API key, so the body is passed on unparsed.
 */
export interface InboundWebhook {
  id: string;
  path: `/api/integrations/${string}`;
  tag: string;
  summary: string;
  description: string;
  /** Description of each path parameter. */
  params: Readonly<Record<string, string>>;
  /** For the documents: the handler verifies the signature over the raw body before it parses it. */
  body: z.ZodType;
  /** What `body` leaves open is read with these. */
  parts?: readonly z.ZodType[];
  reply: z.ZodType;
  /** How the sender signs; `own`: as the provider in the path does. Default: Standard Webhooks. */
  signature?: 'standard' | 'stripe' | 'own';
  reasons: readonly Reason[];
  /** Bodies by name, and the data of the response. */
  examples: { bodies: Readonly<Record<string, unknown>>; data: unknown };
  handle(call: {
    ctx: Context;
    params: Readonly<Record<string, string>>;
    headers: Readonly<Record<string, string | string[] | undefined>>;
    rawBody: Buffer;
    /** Its sender has often failed to sign: what was read of the target within seconds decides, without a query. */
    isSuspect: boolean;
    /** To be called once the signature was verified, with the merchant or account that sent the message: each has a share of what may be in flight. */
    admit(sender: string): Promise<void>;
  }): Promise<Record<string, unknown>>;
}
