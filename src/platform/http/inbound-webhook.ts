import type { Context } from '../context.ts';

/**
 * A signed receiver outside /api/v1: payment systems and rails post here. It proves itself by a signature over the raw
 * bytes instead of a key, so the body is handed over unparsed.
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
