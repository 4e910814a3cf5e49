import { z } from 'zod';
import { MARKETPLACE_STATUSES } from '../../contracts/programs.ts';
import { nameLine, paragraph, storedUuid, stringOrNull } from '../../platform/http/schemas.ts';
import { webUrl } from '../../platform/http/web-urls.ts';
import type { ProgramDetailView } from './programs.wire.ts';
import { programDetailSchema } from './programs.wire.ts';

export const programMarketplaceSchema = z
  .object({
    programId: storedUuid.describe('Program that the entry belongs to'),
    status: z.enum(MARKETPLACE_STATUSES).describe('The `marketplaceStatus` of the program'),
    category: stringOrNull.describe('The `marketplaceCategory` of the program; null if not set'),
    description: stringOrNull.describe('The `marketplaceDescription` of the program; null if not set'),
    logoUrl: stringOrNull.describe('The `marketplaceLogoUrl` of the program; null if not set'),
    readiness: programDetailSchema.shape.readiness,
    isListed: z.boolean().describe('Whether affiliates can see the program: it is active, public and ready'),
  })
  .meta({ id: 'ProgramMarketplace' });

export type ProgramMarketplaceView = z.infer<typeof programMarketplaceSchema>;

export const updateProgramMarketplaceBody = z
  .strictObject({
    status: z.enum(MARKETPLACE_STATUSES).describe('Only `public` programs are listed'),
    category: nameLine(100).nullable().describe('Category in the marketplace; null for none'),
    description: paragraph(2000).nullable().describe('Text in the marketplace; null for none'),
    logoUrl: webUrl.nullable().describe('Logo in the marketplace (http or https); null for none'),
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
