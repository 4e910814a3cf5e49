import type { Context } from '../../../platform/context.ts';
import { changePortal, NO_LOGO } from '../change-portal.steps.ts';
import { readLogo } from '../logo-image.rules.ts';
import type { StoredPortal } from '../program-portal.queries.ts';
import type { ProgramPortalChanges } from '../program-portal.wire.ts';

export interface UpdateProgramPortalInput {
  id: string;
  changes: ProgramPortalChanges;
}

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
  changePortal(ctx, id, {
    auditedOf,
    async decide(ctx, before) {
      const { name = before.name, accentColor = before.accentColor } = changes;
      const set = { name, accentColor, ...(await logoColumns(ctx, changes.logo)) };
      const { logoId } = { ...before, ...set };
      const isSame = name === before.name && accentColor === before.accentColor && logoId === before.logoId;
      return isSame ? null : set;
    },
  });
