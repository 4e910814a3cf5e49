import { z } from 'zod';
import { stringOrNull } from './schemas.ts';

/** Codes are added, so they are described and not validated. */
export const availableActionsOf = (actions: readonly string[]) =>
  z
    .array(
      z.object({
        action: z.string().describe(`An open set: ${actions.map((action) => `\`${action}\``).join(', ')}`),
        refusedBecause: stringOrNull.describe(
          'Null when you may do it now; otherwise why the API would refuse it: a reason of a 409, `INSUFFICIENT_SCOPE`, or what stands against the payment',
        ),
      }),
    )
    .describe('What you, with this key or role, can do with it now');

export interface AvailableAction {
  action: string;
  refusedBecause: string | null;
}
