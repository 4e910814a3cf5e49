import { z } from 'zod';
import { MAX_APPLICATION_FIELDS } from '../../contracts/joining.ts';
import { line } from '../../platform/http/schemas.ts';

const label = 'What applicants are asked';
const isRequired = z.boolean().describe('Whether they have to answer');
const ALL = 'What people are asked on the page on which they join the program, at most 10 fields. Default: none';

export const applicationFieldsSchema = z.array(z.object({ label: z.string().describe(label), isRequired })).describe(ALL);

export const applicationFieldsBody = z
  .array(z.strictObject({ label: line(100).describe(label), isRequired }))
  .max(MAX_APPLICATION_FIELDS)
  .refine((fields) => new Set(fields.map((field) => field.label)).size === fields.length, 'must not contain the same label twice')
  .describe(ALL);
