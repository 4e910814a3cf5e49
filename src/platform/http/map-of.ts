import { z } from 'zod';

/**
 * An object with names of the caller. They are counted before any of them is looked at: zod does so for arrays, and not for records.
 * `documented` describes it in OpenAPI.
 */
export const mapOf = <K extends z.core.$ZodRecordKey, V extends z.core.SomeType>(
  record: z.ZodRecord<K, V>,
  { max, problem, documented }: { max: number; problem: string; documented: Readonly<Record<string, unknown>> },
) =>
  z
    .custom<z.input<typeof record>>((given) => typeof given !== 'object' || given === null || Object.keys(given).length <= max, {
      error: problem,
      abort: true,
    })
    .meta({ override: { type: 'object' } })
    .pipe(record)
    .meta({ override: { type: 'object', maxProperties: max, ...documented } });
