import type { LogoType } from '../../contracts/portals.ts';
import type { Context } from '../../platform/context.ts';
import { compileOnce, type Given } from '../../platform/database/compiled.ts';
import { firstRow } from '../../platform/database/sql.ts';
import { readOwned } from '../../platform/ownership.ts';
import { db } from '../tables.ts';

const portalOf = compileOnce(({ programId }: Given<{ programId: string }>) =>
  db
    .selectFrom('program as p')
    .leftJoin('program_portal as o', 'o.programId', 'p.id')
    .select(['p.id as programId', 'p.merchantId', 'p.portalSlug'])
    .select(['o.name', 'o.accentColor', 'o.logoId', 'o.logoWidth', 'o.logoHeight', 'o.updatedAt'])
    .select(['o.host', 'o.hostToken', 'o.hostVerifiedAt', 'o.hostMissingSince'])
    .where('p.id', '=', programId),
);

/** NOT_FOUND without a program, FORBIDDEN for that of another merchant. */
export const getProgramPortal = async (ctx: Context, programId: string) =>
  readOwned(ctx, 'Program', await firstRow(ctx.em, portalOf({ programId })));

export type StoredPortal = Awaited<ReturnType<typeof getProgramPortal>>;

const logoById = compileOnce(({ id }: Given<{ id: string }>) =>
  db.selectFrom('program_portal').select(['logoType', 'logoBytes']).where('logoId', '=', id),
);

/** The file, for everybody who has its address; null once another one has replaced it. */
export const findPortalLogo = async (ctx: Context, id: string): Promise<{ type: LogoType; bytes: Buffer } | null> => {
  const row = await firstRow(ctx.em, logoById({ id }));
  return row?.logoType && row.logoBytes ? { type: row.logoType, bytes: row.logoBytes } : null;
};
