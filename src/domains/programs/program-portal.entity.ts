import { defineEntity, p } from '@mikro-orm/core';
import { LOGO_TYPES } from '../../contracts/portals.ts';
import type { FindTxtRecords } from '../../platform/dns/txt-records.ts';

declare module '../../platform/context.ts' {
  interface Settings {
    findTxtRecords: FindTxtRecords;
  }
}

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
    /** Under which the pages are shown, once its record was found. */
    host: p.text().nullable(),
    /** What the record holds: another one for each host that the program sets. */
    hostToken: p.text().nullable(),
    /** Null until the record was found, and again once it was missing for too long. */
    hostVerifiedAt: p.datetime(3).nullable(),
    /** When the record of a verified host is looked for next. */
    hostCheckAt: p.datetime(3).nullable(),
    /** Since when it has been missing. */
    hostMissingSince: p.datetime(3).nullable(),
    updatedAt: p.datetime(3),
  },
});
