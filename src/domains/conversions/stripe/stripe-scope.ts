import type { Context } from '../../../platform/context.ts';
import { findStripePrograms, type ProgramRecord, type StripeSource } from '../../programs/index.ts';

/** Where an event comes from: the endpoint of a program, or an account connected by OAuth. */
export type { StripeSource };

/** The program of a sale or a sign-up. */
export interface StripeProgram {
  program: ProgramRecord;
  /** False when several programs share the Stripe account and the payment names none of them. */
  isKnown: boolean;
}

/**
 * The program that a payment belongs to: the one that its metadata names, else the only one. Without either it is the oldest
 * one, where a person finds the payment. Null when no program receives events of this source.
 */
export const findStripeProgram = async (
  ctx: Context,
  source: StripeSource,
  named: string | null,
): Promise<StripeProgram | null> => {
  const programs = await findStripePrograms(ctx, source, named === 'unknown' ? null : named);
  const match = programs.find(({ id }) => id === named);
  if (match) return { program: match, isKnown: true };
  const open = programs.filter(({ status }) => status !== 'archived');
  const [first] = open.length > 0 ? open : programs;
  return first ? { program: first, isKnown: named === null && open.length <= 1 } : null;
};

/** The merchants whose payments an event may be about: more than one only if they connected the same account. */
export const findStripeMerchants = async (ctx: Context, source: StripeSource): Promise<string[]> => {
  const programs = await findStripePrograms(ctx, source, null);
  return [...new Set(programs.map(({ merchantId }) => merchantId))];
};
