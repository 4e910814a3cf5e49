import { type Context, inTransaction } from '../../../platform/context.ts';
import type { ProgramMarketplaceChanges } from '../program-marketplace.wire.ts';
import { getProgram } from '../programs.queries.ts';
import type { ProgramDetailView } from '../programs.wire.ts';
import { updateProgram } from './program.ts';

export interface UpdateProgramMarketplaceInput {
  id: string;
  changes: ProgramMarketplaceChanges;
}

/** As `updateProgram`, for the entry in the marketplace. */
export const updateProgramMarketplace = (
  ctx: Context,
  { id, changes }: UpdateProgramMarketplaceInput,
): Promise<ProgramDetailView> =>
  inTransaction(ctx, async (ctx) => {
    await updateProgram(ctx, {
      id,
      changes: {
        marketplaceStatus: changes.status,
        marketplaceCategory: changes.category,
        marketplaceDescription: changes.description,
        marketplaceLogoUrl: changes.logoUrl,
      },
    });
    return getProgram(ctx, id);
  });
