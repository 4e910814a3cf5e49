/** Formats that every browser shows and nothing can run in: an SVG can hold scripts. */
export const LOGO_TYPES = ['image/png', 'image/jpeg', 'image/webp'] as const;
export type LogoType = (typeof LOGO_TYPES)[number];

/** Keeps the first visit of a page below 60 KB, including its styles and scripts. */
export const MAX_LOGO_BYTES = 32 * 1024;
/** Pixels of either side. A small file can be an image that takes gigabytes to show. */
export const MIN_LOGO_SIDE = 16;
export const MAX_LOGO_SIDE = 1_024;

/** The form in which the API returns it. */
export const ACCENT_COLOR = /^#[0-9a-f]{6}$/;

const DAY_MS = 24 * 60 * 60 * 1_000;

/** Name of the record that proves who owns a host: `_tributary.partners.acme.example`. */
export const DOMAIN_RECORD = '_tributary';
/** How often the record of a verified host is looked for. */
export const DOMAIN_CHECK_MS = DAY_MS;
/** How long a host without its record stays verified: a move to other name servers takes a while. */
export const DOMAIN_GRACE_MS = 7 * DAY_MS;

interface StoredHost {
  host: string | null;
  hostVerifiedAt: string | Date | null;
}

/** Where a program's pages are: under its host once that is verified, else under this server's name. */
export const portalUrlOf = (publicUrl: string, { host, hostVerifiedAt }: StoredHost): string => {
  if (host === null || hostVerifiedAt === null) return publicUrl;
  const { protocol, port } = new URL(publicUrl);
  return `${protocol}//${host}${port === '' ? '' : `:${port}`}`;
};
