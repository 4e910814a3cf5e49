import { z } from 'zod';
import type { Context } from '../../platform/context.ts';
import { stringOrNull } from '../../platform/http/schemas.ts';

const pixels = z.int();

export const portalLogoSchema = z
  .object({
    url: z.url().describe('Address of the image: another one for each file, so that it can be cached for ever'),
    width: pixels.describe('Pixels of the image from left to right'),
    height: pixels.describe('Pixels of the image from top to bottom'),
  })
  .meta({ id: 'PortalLogo' });

/** Fields of objects that show a program to people. */
export const portalFields = {
  portalName: stringOrNull.describe('What the pages of the program are called; null: as the program'),
  portalTheme: stringOrNull.describe('Accent color of the pages of the program, as `#0b6e4f`; null: that of this server'),
  portalLogo: portalLogoSchema.nullable().describe('Logo on the pages of the program; null if there is none'),
};

export type PortalFields = z.infer<z.ZodObject<typeof portalFields>>;

/** Columns for rows that join `program_portal` as `o`. */
export const PORTAL_COLUMNS = [
  'o.name as portalName',
  'o.accentColor as portalTheme',
  'o.logoId',
  'o.logoWidth',
  'o.logoHeight',
] as const;

export interface PortalRow {
  portalName: string | null;
  portalTheme: string | null;
  logoId: string | null;
  logoWidth: number | null;
  logoHeight: number | null;
}

export const logoOf = ({ settings }: Context, row: Omit<PortalRow, 'portalName' | 'portalTheme'>): PortalFields['portalLogo'] =>
  row.logoId === null
    ? null
    : { url: `${settings.publicUrl}/logos/${row.logoId}`, width: row.logoWidth ?? 0, height: row.logoHeight ?? 0 };

export const toPortalFields = (ctx: Context, row: PortalRow): PortalFields => ({
  portalName: row.portalName,
  portalTheme: row.portalTheme,
  portalLogo: logoOf(ctx, row),
});
