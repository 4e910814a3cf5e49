import { portalUrlOf } from '../../contracts/portals.ts';
import type { Context, ProgramSite } from '../../platform/context.ts';
import { compileOnce, type Given } from '../../platform/database/compiled.ts';
import { lockName } from '../../platform/database/lock-name.ts';
import { firstRow, rows } from '../../platform/database/sql.ts';
import { db } from '../tables.ts';
import { PORTAL_COLUMNS, type PortalFields, toPortalFields } from './portal-fields.steps.ts';

const verifiedHost = compileOnce(({ host }: Given<{ host: string }>) =>
  db
    .selectFrom('program_portal as o')
    .innerJoin('program as p', 'p.id', 'o.programId')
    .select(PORTAL_COLUMNS)
    .select(['o.programId', 'p.merchantId', 'p.name as programName', 'p.portalSlug', 'o.host', 'o.hostVerifiedAt'])
    .where('o.host', '=', host)
    .where('o.hostVerifiedAt', 'is not', null)
    .where('p.status', '<>', 'archived')
    .$narrowType<{ hostVerifiedAt: string }>(),
);

/** The program whose pages are shown under a host. */
export interface PortalSite extends PortalFields, ProgramSite {
  programName: string;
  portalSlug: string | null;
}

/** Null for a host that no program has proved to own. */
export const findPortalSite = async (ctx: Context, host: string): Promise<PortalSite | null> => {
  const row = await firstRow(ctx.em, verifiedHost({ host }));
  if (!row) return null;
  const { programId, merchantId, programName, portalSlug } = row;
  const origin = portalUrlOf(ctx.settings.publicUrl, row);
  const since = new Date(row.hostVerifiedAt);
  return { programId, merchantId, programName, portalSlug, origin, since, ...toPortalFields(ctx, row) };
};

/** Whether a program has proved to own the host. Until the transaction ends, no other one can: the unique index would only fail. */
export const isHostTaken = async (ctx: Context, host: string): Promise<boolean> => {
  await lockName(ctx, `portal-domain:${host}`);
  const taken = db
    .selectFrom('program_portal')
    .select('programId')
    .where('host', '=', host)
    .where('hostVerifiedAt', 'is not', null);
  return (await firstRow(ctx.em, taken)) !== null;
};

export interface DueDomain {
  programId: string;
  merchantId: string;
  host: string;
  hostToken: string;
  hostMissingSince: string | null;
}

const MAX_DUE = 50;

/** Verified domains whose record is to be looked for again. */
export const listDueDomains = (ctx: Context): Promise<DueDomain[]> =>
  rows(
    ctx.em,
    db
      .selectFrom('program_portal as o')
      .innerJoin('program as p', 'p.id', 'o.programId')
      .select(['o.programId', 'p.merchantId', 'o.host', 'o.hostToken', 'o.hostMissingSince'])
      .where('o.hostCheckAt', '<=', ctx.clock.now().toISOString())
      .orderBy('o.hostCheckAt')
      .limit(MAX_DUE)
      .$narrowType<{ host: string; hostToken: string }>(),
  );
