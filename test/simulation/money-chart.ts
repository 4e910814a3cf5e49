import { type DayOfMoney, MONEY_STATES, type MoneyState } from './books.ts';

const WIDTH = 960;
const HEIGHT = 500;
const PLOT = { left: 84, right: 820, top: 76, bottom: 440 };
const Y_TICKS = 5;
const X_TICKS = 9;

const STYLES: Readonly<Record<MoneyState, { label: string; color: string }>> = {
  paid: { label: 'paid', color: '#1f6f8b' },
  inPayout: { label: 'in payout', color: '#58a6b8' },
  payable: { label: 'payable', color: '#a7d3dc' },
  held: { label: 'held by a flag', color: '#f0a04b' },
  pending: { label: 'pending', color: '#d8d8d2' },
  reversed: { label: 'reversed', color: '#b5524a' },
};

export interface ChartInput {
  days: readonly DayOfMoney[];
  title: string;
  subtitle: string;
  /** From this day on nothing is sold. */
  closedFrom: number;
}

/** The next larger of 1, 2, 2.5 and 5 times a power of ten. */
const roundStep = (step: number): number => {
  const power = 10 ** Math.floor(Math.log10(step));
  return power * ([1, 2, 2.5, 5].find((times) => times * power >= step) ?? 10);
};

const text = (x: number, y: number, content: string, more = ''): string => `<text x="${x}" y="${y}" ${more}>${content}</text>`;
type Point = readonly [x: number, y: number];
const line = ([x1, y1]: Point, [x2, y2]: Point, more: string): string =>
  `<line x1="${x1}" y1="${y1}" x2="${x2}" y2="${y2}" ${more}/>`;

/** Money by state over time as stacked areas, in major units: an SVG without scripts, fonts or other outside references. */
export const drawMoney = ({ days, title, subtitle, closedFrom }: ChartInput): string => {
  const lastDay = days.at(-1)?.day ?? 1;
  const firstDay = days[0]?.day ?? 0;
  const amount = (day: DayOfMoney, state: MoneyState): number => Math.max(0, day.money[state]) / 100;
  const total = (day: DayOfMoney): number => MONEY_STATES.reduce((sum, state) => sum + amount(day, state), 0);
  const yStep = roundStep(Math.max(1, ...days.map(total)) / Y_TICKS);
  const yMax = yStep * Math.ceil(Math.max(1, ...days.map(total)) / yStep);
  const xStep = Math.ceil(roundStep(Math.max(1, lastDay / X_TICKS)));
  const x = (day: number): number =>
    round(PLOT.left + ((day - firstDay) / Math.max(1, lastDay - firstDay)) * (PLOT.right - PLOT.left));
  const y = (value: number): number => round(PLOT.bottom - (value / yMax) * (PLOT.bottom - PLOT.top));
  const ticks = (max: number, step: number): number[] => Array.from({ length: Math.floor(max / step) + 1 }, (_, at) => at * step);
  return svg(title, [
    text(PLOT.left, 34, title, 'class="title"'),
    text(PLOT.left, 56, subtitle, 'class="note"'),
    ...ticks(yMax, yStep).flatMap((value) => [
      line([PLOT.left, y(value)], [PLOT.right, y(value)], 'stroke="#e3e3de"'),
      text(PLOT.left - 10, y(value) + 4, value.toLocaleString('en-US'), 'text-anchor="end"'),
    ]),
    ...areas(days, { x, y, amount }),
    ...ticks(lastDay, xStep)
      .filter((day) => day >= firstDay)
      .flatMap((day) => [
        line([x(day), PLOT.bottom], [x(day), PLOT.bottom + 5], 'stroke="#555"'),
        text(x(day), PLOT.bottom + 22, String(day), 'text-anchor="middle"'),
      ]),
    line([PLOT.left, PLOT.bottom], [PLOT.right, PLOT.bottom], 'stroke="#555"'),
    ...(closedFrom < lastDay
      ? [
          line([x(closedFrom), PLOT.top], [x(closedFrom), PLOT.bottom], 'stroke="#555" stroke-dasharray="4 4"'),
          text(x(closedFrom) - 6, PLOT.top + 12, 'last sale', 'text-anchor="end" class="note"'),
        ]
      : []),
    text((PLOT.left + PLOT.right) / 2, HEIGHT - 16, 'Day', 'text-anchor="middle"'),
    text(20, PLOT.top - 8, 'USD'),
    ...legend(),
  ]);
};

const round = (value: number): number => Math.round(value * 10) / 10;

interface Scales {
  x(day: number): number;
  y(value: number): number;
  amount(day: DayOfMoney, state: MoneyState): number;
}

/** One area per state, each on top of those before it. */
const areas = (days: readonly DayOfMoney[], { x, y, amount }: Scales): string[] => {
  const below = days.map(() => 0);
  return MONEY_STATES.map((state) => {
    const bottom = days.map(({ day }, at) => `${x(day)},${y(below[at] ?? 0)}`);
    days.forEach((day, at) => {
      below[at] = (below[at] ?? 0) + amount(day, state);
    });
    const top = days.map(({ day }, at) => `${x(day)},${y(below[at] ?? 0)}`);
    return `<polygon points="${[...top, ...bottom.reverse()].join(' ')}" fill="${STYLES[state].color}" stroke="#fff" stroke-width="0.5"/>`;
  });
};

/** In the order of the areas, from the top. */
const legend = (): string[] =>
  MONEY_STATES.toReversed().flatMap((state, at) => {
    const top = PLOT.top + at * 26;
    const { color, label } = STYLES[state];
    return [
      `<rect x="${PLOT.right + 20}" y="${top}" width="14" height="14" fill="${color}"/>`,
      text(PLOT.right + 42, top + 12, label),
    ];
  });

const svg = (title: string, parts: readonly string[]): string =>
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" width="${WIDTH}" height="${HEIGHT}" role="img" aria-label="${title}">
<style>text { font: 13px system-ui, sans-serif; fill: #333; } .title { font-size: 18px; font-weight: 600; } .note { fill: #666; }</style>
<rect width="${WIDTH}" height="${HEIGHT}" fill="#fff"/>
${parts.join('\n')}
</svg>
`;
