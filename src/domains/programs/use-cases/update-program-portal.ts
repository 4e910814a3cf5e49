import { recordChange } from '../../../platform/audit-log/record-change.ts';
import { type Context, inTransaction } from '../../../platform/context.ts';
import { lockProgram } from '../lock-program.ts';
import { readLogo } from '../logo-image.ts';
import { getProgramPortal, type StoredPortal } from '../program-portal.queries.ts';
import type { ProgramPortalChanges } from '../program-portal.wire.ts';
import { savePortal } from '../save-portal.ts';

export interface UpdateProgramPortalInput {
  id: string;
  changes: ProgramPortalChanges;
}

const NO_LOGO = { logoId: null, logoType: null, logoWidth: null, logoHeight: null, logoBytes: null } as const;

/** The columns of a logo; none when it stays as it is. */
const logoColumns = async (ctx: Context, logo: string | null | undefined) => {
  if (logo === undefined) return {};
  if (logo === null) return NO_LOGO;
  const { bytes, type, width, height } = await readLogo(logo);
  return { logoId: ctx.ids.next(), logoType: type, logoWidth: width, logoHeight: height, logoBytes: bytes };
};

/** As the audit log names it: whoever reads it sees that the logo is another one. */
const auditedOf = ({ name, accentColor, logoId }: Pick<StoredPortal, 'name' | 'accentColor' | 'logoId'>) => ({
  portalName: name,
  portalTheme: accentColor,
  portalLogo: logoId,
});

/** Applies what is given, and leaves the rest. A file that is sent again is a new logo with another address. */
export const updateProgramPortal = (ctx: Context, { id, changes }: UpdateProgramPortalInput): Promise<StoredPortal> =>
  inTransaction(ctx, async (ctx) => {
    const { merchantId } = await lockProgram(ctx, id);
    const before = await getProgramPortal(ctx, id);
    const { name = before.name, accentColor = before.accentColor } = changes;
    const set = { name, accentColor, ...(await logoColumns(ctx, changes.logo)) };
    const after = { ...before, ...set };
    const isSame = name === before.name && accentColor === before.accentColor && after.logoId === before.logoId;
    if (isSame) return before;
    await savePortal(ctx, id, set);
    await recordChange(ctx, {
      ownerId: merchantId,
      action: 'program.updated',
      resourceId: id,
      before: auditedOf(before),
      after: auditedOf(after),
    });
    return getProgramPortal(ctx, id);
  });
