import { z } from 'zod';
import { MARKETPLACE_STATUSES, READINESS } from '../../contracts/programs.ts';
import { line, paragraph, storedUuid, webUrl } from '../../platform/http/schemas.ts';
import type { ProgramDetailView } from './programs.wire.ts';

export const programMarketplaceSchema = z
  .object({
    programId: storedUuid,
    status: z.enum(MARKETPLACE_STATUSES),
    category: z.string().nullable(),
    description: z.string().nullable(),
    logoUrl: z.string().nullable(),
    readiness: z.enum(READINESS),
    isListed: z.boolean(),
  })
  .meta({ id: 'ProgramMarketplace' });

export type ProgramMarketplaceView = z.infer<typeof programMarketplaceSchema>;

export const updateProgramMarketplaceBody = z
  .strictObject({
    status: z.enum(MARKETPLACE_STATUSES),
    category: line(100).nullable(),
    description: paragraph(2000).nullable(),
    logoUrl: webUrl.nullable(),
  })
  .partial();

export type ProgramMarketplaceChanges = z.infer<typeof updateProgramMarketplaceBody>;

export const toProgramMarketplace = (program: ProgramDetailView): ProgramMarketplaceView => ({
  programId: program.id,
  status: program.marketplaceStatus,
  category: program.marketplaceCategory,
  description: program.marketplaceDescription,
  logoUrl: program.marketplaceLogoUrl,
  readiness: program.readiness,
  isListed: program.status === 'active' && program.marketplaceStatus === 'public' && program.readiness === 'ready',
});
