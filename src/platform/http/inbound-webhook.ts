import type { Context } from '../context.ts';

/**
 * An endpoint outside /api/v1 for payment systems and payout providers. They authenticate with a signature over the raw
 * bytes instead of an API key, so the body is passed on unparsed.
 */
export interface InboundWebhook {
  id: string;
  path: `/api/integrations/${string}`;
  summary: string;
  handle(call: {
    ctx: Context;
    params: Readonly<Record<string, string>>;
    headers: Readonly<Record<string, string | string[] | undefined>>;
    rawBody: Buffer;
  }): Promise<Record<string, unknown>>;
}
