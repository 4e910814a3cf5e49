import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { themeCss, themeUrl } from '../../../src/console/theme.ts';

type Scheme = 'light' | 'dark';

const css = readFileSync('src/console/console.css', 'utf8');

/** A variable of a stylesheet in a color scheme, as six digits. */
const variable = (text: string, name: string, scheme: Scheme): string => {
  const { light = '', dark = '' } =
    new RegExp(`--${name}:\\s*light-dark\\((?<light>#\\w+),\\s*(?<dark>#\\w+)\\)`).exec(text)?.groups ?? {};
  const color = scheme === 'light' ? light : dark;
  return color.length === 4 ? color.replace(/#(.)(.)(.)/, '#$1$1$2$2$3$3') : color;
};

const luminance = (color: string): number => {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const share = Number.parseInt(color.slice(at, at + 2), 16) / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
};

const contrast = (a: string, b: string): number => {
  const [dark = 0, light = 0] = [luminance(a), luminance(b)].sort((x, y) => x - y);
  return (light + 0.05) / (dark + 0.05);
};

const SURFACES = ['bg', 'surface', 'good-tint', 'warning-tint', 'bad-tint'];
const color = fc.integer({ min: 0, max: 0xffffff }).map((value) => `#${value.toString(16).padStart(6, '0')}`);

/** What is hard to read (WCAG 2.2 AA) on pages in a color. */
const hardToRead = (own: string): string[] => {
  const theme = themeCss(own);
  const { background = '', text = '' } =
    /primary\{background:(?<background>#\w+);color:(?<text>#\w+)\}/.exec(theme)?.groups ?? {};
  const found: [what: string, ratio: number][] = [['the text of a button', contrast(background, text)]];
  for (const scheme of ['light', 'dark'] as const) {
    const tint = variable(theme, 'tint', scheme);
    const accent = variable(theme, 'accent', scheme);
    for (const name of SURFACES) found.push([`a link on ${name}, ${scheme}`, contrast(accent, variable(css, name, scheme))]);
    found.push([`a link on tint, ${scheme}`, contrast(accent, tint)]);
    for (const name of ['text', 'quiet', 'bad'])
      found.push([`${name} on tint, ${scheme}`, contrast(variable(css, name, scheme), tint)]);
  }
  return found.filter(([, ratio]) => !(ratio >= 4.5)).map(([what, ratio]) => `${what}: ${ratio.toFixed(2)}`);
};

test.each(['#000000', '#ffffff', '#808080', '#ffff00', '#0000ff', '#ff0000', '#0b6e4f', '#767676'])(
  'pages in %s are easy to read, in light and in dark',
  (own) => {
    expect(hardToRead(own)).toEqual([]);
  },
);

test('so are pages in any color', () => {
  fc.assert(
    fc.property(color, (own) => {
      expect(hardToRead(own)).toEqual([]);
    }),
  );
});

test('the button has the color itself, and a link has it where it can be read', () => {
  expect(themeCss('#0b6e4f')).toContain('.primary{background:#0b6e4f;color:#ffffff}');
  expect(themeCss('#ffdd00')).toContain('.primary{background:#ffdd00;color:#000000}');
  expect(variable(themeCss('#0b6e4f'), 'accent', 'light')).toBe('#0b6e4f');
});

test('the address follows from the color', () => {
  expect(themeUrl('#0b6e4f')).toMatch(/^\/themes\/0b6e4f-[0-9a-f]{8}\.css$/);
  expect(themeUrl('#0b6e4f')).toBe(themeUrl('#0b6e4f'));
});
