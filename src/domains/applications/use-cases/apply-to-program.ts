import { type Context, inTransaction, profileOf } from '../../../platform/context.ts';
import { notFound } from '../../../platform/errors.ts';
import { findProgram } from '../../programs/index.ts';
import { type JoinResultView, toJoinResult } from '../joining.wire.ts';
import { submitApplication } from '../submit-application.ts';

/** Applies to a program of the marketplace. NOT_FOUND as if it did not exist, unless it takes applications. */
export const applyToProgram = (
  ctx: Context,
  input: { programId: string; message?: string | undefined },
): Promise<JoinResultView> =>
  inTransaction(ctx, async (ctx) => {
    const program = await findProgram(ctx, input.programId);
    const isOpen = program?.status === 'active' && program.marketplaceStatus === 'public' && program.applicationAccess === 'open';
    if (!program || !isOpen) throw notFound('Program');
    const message = input.message || undefined;
    const submitted = await submitApplication(ctx, { program, profileId: profileOf(ctx), source: 'api', message });
    return toJoinResult(submitted, { programId: program.id, message });
  });
