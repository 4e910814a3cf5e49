import { z } from 'zod';

/** Response to a notification of a provider. */
export const railNotificationResultSchema = z
  .object({
    outcome: z.enum(['recorded', 'repeated', 'unknown_transfer', 'ignored']).describe('What was done with the notification'),
  })
  .meta({ id: 'RailNotificationResult' });
