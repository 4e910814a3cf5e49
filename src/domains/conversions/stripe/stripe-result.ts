import { z } from 'zod';
import { STRIPE_OUTCOMES } from '../../../contracts/conversions.ts';
import { uuid } from '../../../platform/http/schemas.ts';

declare module '../../../platform/context.ts' {
  interface Settings {
    /** Signs the events of connected accounts; null when Stripe Connect is not configured. */
    stripeConnectWebhookSecret: string | null;
  }
}

export const stripeResultSchema = z
  .object({ outcome: z.enum(STRIPE_OUTCOMES), conversionId: uuid.nullable() })
  .meta({ id: 'StripeEventResult' });

/** Response to an event of Stripe. */
export type StripeEventResult = z.infer<typeof stripeResultSchema>;
