/** What browsers show everywhere and nothing can run in: an SVG can hold scripts. */
export const LOGO_TYPES = ['image/png', 'image/jpeg', 'image/webp'] as const;
export type LogoType = (typeof LOGO_TYPES)[number];

/** With the styles and scripts of a page, its first visit stays below 60 KB. */
export const MAX_LOGO_BYTES = 32 * 1024;
/** Pixels of either side. A small file can be an image that takes gigabytes to show. */
export const MIN_LOGO_SIDE = 16;
export const MAX_LOGO_SIDE = 1_024;

/** As the API returns it. */
export const ACCENT_COLOR = /^#[0-9a-f]{6}$/;
