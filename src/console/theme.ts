import { createHash } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import { PAGE_HEADERS } from '../api/pipeline/security-headers.ts';
import { IMMUTABLE } from './assets.ts';

type Rgb = readonly [red: number, green: number, blue: number];

const BLACK: Rgb = [0, 0, 0];
const WHITE: Rgb = [255, 255, 255];
/** Required by WCAG 2.2 AA for text. */
const MIN_CONTRAST = 4.5;

/** Backgrounds in `console.css` that text in the accent color stands on, light and dark. */
const SURFACES = {
  light: ['#f6f7f9', '#ffffff', '#e3f5ea', '#fdf1d9', '#fdeae8'],
  dark: ['#14161a', '#1d2026', '#16301f', '#33270f', '#3d1b18'],
} as const;

const rgbOf = (color: string): Rgb => [1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16)) as unknown as Rgb;

const hexOf = (color: Rgb): string => `#${color.map((part) => part.toString(16).padStart(2, '0')).join('')}`;

const linear = (part: number): number => {
  const share = part / 255;
  return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
};

const luminance = ([red, green, blue]: Rgb): number => 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue);

const contrast = (a: Rgb, b: Rgb): number => {
  const [dark = 0, light = 0] = [luminance(a), luminance(b)].sort((x, y) => x - y);
  return (light + 0.05) / (dark + 0.05);
};

const mix = (from: Rgb, to: Rgb, share: number): Rgb =>
  from.map((part, at) => Math.round(part + ((to[at] ?? 0) - part) * share)) as unknown as Rgb;

const STEPS = 50;

/** The color, as much nearer to `toward` as it takes to be read on all surfaces. */
const readable = (color: Rgb, toward: Rgb, surfaces: readonly Rgb[]): Rgb => {
  for (let step = 0; step < STEPS; step++) {
    const mixed = mix(color, toward, step / STEPS);
    if (surfaces.every((surface) => contrast(mixed, surface) >= MIN_CONTRAST)) return mixed;
  }
  return toward;
};

/** Computes the colors of one scheme: a tint for surfaces that are pointed at, and the color of links and marks. */
const schemeOf = (color: Rgb, surfaces: readonly string[], { tinted, toward }: { tinted: number; toward: Rgb }) => {
  const all = surfaces.map(rgbOf);
  const tint = mix(all[1] ?? WHITE, color, tinted);
  return { tint: hexOf(tint), accent: hexOf(readable(color, toward, [...all, tint])) };
};

/**
 * Styles for a program's own color. On buttons it stays as it is, with a text in black or white; links in it are made darker on light
 * surfaces and lighter on dark ones, until they are easy to read.
 */
export const themeCss = (color: string): string => {
  const own = rgbOf(color);
  const light = schemeOf(own, SURFACES.light, { tinted: 0.08, toward: BLACK });
  const dark = schemeOf(own, SURFACES.dark, { tinted: 0.12, toward: WHITE });
  const onAccent = contrast(own, WHITE) >= contrast(own, BLACK) ? WHITE : BLACK;
  return `:root{--accent:light-dark(${light.accent},${dark.accent});--tint:light-dark(${light.tint},${dark.tint})}
:is(button,.button).primary{background:${color};color:${hexOf(onAccent)}}
.primary:hover{filter:none;text-decoration:underline}
`;
};

/** Identifies this version of the styles: another version has other addresses. */
const VERSION = createHash('sha256').update(themeCss('#0b6e4f')).digest('hex').slice(0, 8);

/** Follows from the color alone. */
export const themeUrl = (color: string): string => `/themes/${color.slice(1)}-${VERSION}.css`;

const FILE = /^(?<color>[0-9a-f]{6})-[0-9a-f]{8}\.css$/;

/** While versions are replaced, a page of one asks the other for its styles: it gets those that there are, for this once. */
export const mountThemes = (app: FastifyInstance): void => {
  app.get<{ Params: { file: string } }>('/themes/:file', async (request, reply) => {
    const { file } = request.params;
    const color = FILE.exec(file)?.groups?.['color'];
    if (color === undefined) return reply.callNotFound();
    const isCurrent = themeUrl(`#${color}`) === `/themes/${file}`;
    return reply
      .headers({ ...PAGE_HEADERS, 'cache-control': isCurrent ? IMMUTABLE : 'no-cache' })
      .type('text/css; charset=utf-8')
      .send(themeCss(`#${color}`));
  });
};
