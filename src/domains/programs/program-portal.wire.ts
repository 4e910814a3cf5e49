import { z } from 'zod';
import { ACCENT_COLOR, MAX_LOGO_BYTES, MAX_LOGO_SIDE, MIN_LOGO_SIDE, portalUrlOf } from '../../contracts/portals.ts';
import type { Context } from '../../platform/context.ts';
import { toIsoOrNull } from '../../platform/database/sql.ts';
import { nameLine, storedUuid, stringOrNull, timestampOrNull } from '../../platform/http/schemas.ts';
import { portalDomainSchema, toPortalDomain } from './portal-domain.wire.ts';
import { logoOf, portalFields } from './portal-fields.steps.ts';
import type { StoredPortal } from './program-portal.queries.ts';

export const programPortalSchema = z
  .object({
    programId: storedUuid.describe('Program that the pages belong to'),
    name: portalFields.portalName,
    accentColor: portalFields.portalTheme,
    logo: portalFields.portalLogo,
    domain: portalDomainSchema.nullable().describe('Domain of the pages; null: they have the address of this server'),
    joinUrl: stringOrNull.describe('Address of the page on which people join the program; null without a `portalSlug`'),
    updatedAt: timestampOrNull.describe('Time of the last change; null if nothing was set'),
  })
  .meta({ id: 'ProgramPortal' });

export type ProgramPortalView = z.infer<typeof programPortalSchema>;

/** Base64 takes four characters for three bytes. */
const MAX_LOGO_CHARS = Math.ceil(MAX_LOGO_BYTES / 3) * 4;

export const updateProgramPortalBody = z
  .strictObject({
    name: nameLine(60).nullable().describe('What the pages are called; null: as the program'),
    accentColor: z
      .string()
      .toLowerCase()
      .regex(ACCENT_COLOR, 'must be a color such as #0b6e4f')
      .meta({ override: { pattern: '^#[0-9A-Fa-f]{6}$', maxLength: 7 } })
      .nullable()
      .describe(
        'Color of buttons and links, as `#0b6e4f`; null: that of this server. Texts in it are made darker or lighter until they are easy to read',
      ),
    logo: z
      .base64()
      .max(MAX_LOGO_CHARS, `must be an image of at most ${MAX_LOGO_BYTES} bytes`)
      .nullable()
      .describe(
        `PNG, JPEG or WebP image in base64, of at most ${MAX_LOGO_BYTES} bytes, ${MIN_LOGO_SIDE} to ${MAX_LOGO_SIDE} pixels wide and high; null for none`,
      ),
  })
  .partial();

export type ProgramPortalChanges = z.infer<typeof updateProgramPortalBody>;

export const toProgramPortal = (ctx: Context, portal: StoredPortal): ProgramPortalView => ({
  programId: portal.programId,
  name: portal.name,
  accentColor: portal.accentColor,
  logo: logoOf(ctx, portal),
  domain: toPortalDomain(portal),
  joinUrl: portal.portalSlug === null ? null : `${portalUrlOf(ctx.settings.publicUrl, portal)}/join/${portal.portalSlug}`,
  updatedAt: toIsoOrNull(portal.updatedAt),
});
