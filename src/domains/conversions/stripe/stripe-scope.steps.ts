import type { Context } from '../../../platform/context.ts';
import { findStripePrograms, type StripeProgram, type StripeSource } from '../../programs/index.ts';
import { chooseProgram, type ProgramChoice, type ProgramClues } from './choose-program.steps.ts';
import { findStripeSale } from './stripe.queries.ts';
import { UNKNOWN_PROGRAM } from './stripe-evidence.rules.ts';

/** Where an event comes from: the endpoint of a program, or an account connected by OAuth. */
export type { StripeSource };

/** The merchant whose payment an event is about. */
export interface StripeScope {
  merchantId: string;
  /** Programs of all merchants who receive the event, oldest first. */
  programs: readonly StripeProgram[];
  /** The program of the endpoint that received the event; null for Stripe Connect. */
  endpointOf: string | null;
}

const merchantsOf = (programs: readonly StripeProgram[]): string[] => [...new Set(programs.map(({ merchantId }) => merchantId))];

const programsAt = (ctx: Context, source: StripeSource, named: string | null): Promise<StripeProgram[]> =>
  findStripePrograms(ctx, source, named === UNKNOWN_PROGRAM ? null : named);

/** The merchants whose payments an event may be about: more than one only if they connected the same account. */
export const listStripeScopes = async (ctx: Context, source: StripeSource): Promise<StripeScope[]> => {
  const programs = await programsAt(ctx, source, null);
  const endpointOf = 'programId' in source ? source.programId : null;
  return merchantsOf(programs).map((merchantId) => ({ merchantId, programs, endpointOf }));
};

/**
 * Null when no program receives the events of the source. If several merchants share an account, it is the one who has the sale, else
 * the one to whose program the payment leads.
 */
export const findStripeScope = async (ctx: Context, source: StripeSource, clues: ProgramClues): Promise<StripeScope | null> => {
  const programs = await programsAt(ctx, source, clues.evidence.programId);
  const scope = { programs, endpointOf: 'programId' in source ? source.programId : null };
  const [only, another] = merchantsOf(programs);
  if (only === undefined) return null;
  if (another === undefined) return { ...scope, merchantId: only };
  for (const merchantId of merchantsOf(programs)) {
    const stored = clues.externalSaleId && (await findStripeSale(ctx, merchantId, [clues.externalSaleId]));
    if (stored) return { ...scope, merchantId };
  }
  const choice = await chooseProgram(ctx, programs, { ...clues, receivedFor: new Set(receiversIn(programs)) });
  return { ...scope, merchantId: choice?.program.merchantId ?? only };
};

const receiversIn = (programs: readonly StripeProgram[]): string[] =>
  programs.flatMap(({ id, isSource }) => (isSource ? [id] : []));

/** The merchant's programs that receive the events of the source. */
export const receiversOf = ({ programs, merchantId }: StripeScope): string[] =>
  receiversIn(programs.filter((program) => program.merchantId === merchantId));

/** Like `chooseProgram`, among the merchant's programs, whose locks the caller holds. */
export const chooseOwnProgram = async (
  ctx: Context,
  { programs, merchantId }: StripeScope,
  clues: ProgramClues,
): Promise<ProgramChoice | null> => {
  const choice = await chooseProgram(ctx, programs, clues);
  if (choice === null || choice.program.merchantId === merchantId) return choice;
  // Evidence of another merchant on the account came in between.
  return chooseProgram(
    ctx,
    programs.filter((program) => program.merchantId === merchantId),
    clues,
  );
};
