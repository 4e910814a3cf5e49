import type { z } from 'zod';

const MAX_ISSUES = 3;
export const MAX_DETAIL = 300;

/** Names below it are the merchant's own and may say who a customer is. */
const OWN_NAMES = 'metadata';

const pathOf = (path: readonly PropertyKey[]): string => {
  const own = path.indexOf(OWN_NAMES);
  return path.slice(0, own === -1 ? undefined : own + 1).join('.');
};

/** "data.object.amount_refunded must be an integer": the first fields that are wrong, and why. Contains no value of the event. */
export const detailOf = (issues: readonly z.core.$ZodIssue[], at: readonly string[]): string =>
  issues
    .slice(0, MAX_ISSUES)
    .map(({ path, message }) => `${pathOf([...at, ...path]) || 'the body'} ${message}`)
    .join('; ')
    .slice(0, MAX_DETAIL);
