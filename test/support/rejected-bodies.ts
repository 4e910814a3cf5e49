import type { z } from 'zod';
import type { AppError, Issue } from '../../src/platform/errors.ts';
import { checkBody } from '../../src/platform/http/validate.ts';

/** The path of the wrong field, and the body. */
export type RejectedBody = readonly [path: string, body: object];

const issuesOf = (schema: z.ZodType, body: object): Issue[] => {
  try {
    checkBody(schema)(body);
    return [];
  } catch (error) {
    return ((error as AppError).details?.['issues'] ?? []) as Issue[];
  }
};

/** Bodies for which the schema does not report the wrong field, as operations report it. */
export const unreportedBodies = (schema: z.ZodType, bodies: readonly RejectedBody[]): string[] =>
  bodies.flatMap(([path, body]) => {
    const issues = issuesOf(schema, body);
    return issues.some((issue) => issue.path === path) ? [] : [`${JSON.stringify(body)}: ${JSON.stringify(issues)}, not ${path}`];
  });
