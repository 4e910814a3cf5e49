import { z } from 'zod';
import { type ShownSituation, WAITS_FOR } from '../../contracts/situations/situation.ts';
import { stringOrNull, timestampOrNull } from './schemas.ts';

interface Codes {
  states: readonly string[];
  reasons: readonly string[];
  next: readonly string[];
}

const listOf = (codes: readonly string[]): string => codes.map((code) => `\`${code}\``).join(', ');

/** Open sets: codes are added, so they are described and not validated. */
export const situationOf = ({ states, reasons, next }: Codes) =>
  z
    .object({
      state: z.string().describe(`Where it is. An open set: ${listOf(states)}`),
      reason: stringOrNull.describe(`Explains the state; null when the state says it all. An open set: ${listOf(reasons)}`),
      waitsFor: z
        .string()
        .describe(
          `Who has to act before it continues. An open set: ${listOf(WAITS_FOR)}; \`payouts\`: those of the run have to end`,
        ),
      until: timestampOrNull.describe('By when they have to act; null without a deadline'),
      next: stringOrNull.describe(`What they do next; null when nobody has to do anything. An open set: ${listOf(next)}`),
    } satisfies Record<keyof ShownSituation, z.ZodType>)
    .describe('The same as the console and the Temporal UI show');
