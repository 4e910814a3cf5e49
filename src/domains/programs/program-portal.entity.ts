import { defineEntity, p } from '@mikro-orm/core';
import { LOGO_TYPES } from '../../contracts/portals.ts';

/** What the pages of a program show as its own. A program without a row shows its name. */
export const ProgramPortalSchema = defineEntity({
  name: 'ProgramPortal',
  tableName: 'program_portal',
  properties: {
    programId: p.uuid().primary(),
    name: p.text().nullable(),
    accentColor: p.text().nullable(),
    /** Another one for each file: it is part of the address. All fields of the logo are null without one. */
    logoId: p.uuid().nullable(),
    logoType: p.enum(LOGO_TYPES).nullable(),
    logoWidth: p.integer().nullable(),
    logoHeight: p.integer().nullable(),
    logoBytes: p.blob().$type<Buffer>().nullable(),
    updatedAt: p.datetime(3),
  },
});
