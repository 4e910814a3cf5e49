import type { OperationSuccess } from '../api/pipeline/call-operation.ts';
import { themeUrl } from './theme.ts';

/** Whose page it is. Both files come from this origin. */
export interface Brand {
  name: string;
  logo?: { path: string; width: number };
  stylesheet?: string;
}

type Branded = Pick<OperationSuccess<'getProgramToJoin'>['data'], 'programName' | 'portalName' | 'portalTheme' | 'portalLogo'>;

/** Height of the logo in the head of a page. */
export const LOGO_HEIGHT = 32;
const MAX_LOGO_WIDTH = 128;

/** Its width is known before it is loaded, so that nothing moves. */
export const logoView = ({ url, width, height }: NonNullable<Branded['portalLogo']>): NonNullable<Brand['logo']> => ({
  path: new URL(url).pathname,
  width: Math.max(1, Math.min(MAX_LOGO_WIDTH, Math.round((LOGO_HEIGHT * width) / height))),
});

/** A program's own name, logo and color, as far as it has them. */
export const brandOf = ({ programName, portalName, portalTheme, portalLogo }: Branded): Brand => ({
  name: portalName ?? programName,
  ...(portalLogo === null ? {} : { logo: logoView(portalLogo) }),
  ...(portalTheme === null ? {} : { stylesheet: themeUrl(portalTheme) }),
});

/** For pages of the portal, which show several programs: this server's own head unless the program has something of its own. */
export const ownBrandOf = (program: Branded): { brand?: Brand } => {
  const { portalName, portalTheme, portalLogo } = program;
  return portalName === null && portalTheme === null && portalLogo === null ? {} : { brand: brandOf(program) };
};
