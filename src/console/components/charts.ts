import { type Html, html } from '../html.ts';

export interface Series {
  name: string;
  /** One for each label. */
  values: readonly number[];
}

export interface Chart {
  kind: 'bar' | 'line';
  title: string;
  /** Along the axis, such as days: the table has one row for each. */
  labels: readonly string[];
  /** Heading of the labels in the table. */
  labelHead: string;
  /** At most four: more have no color of their own. */
  series: readonly Series[];
  /** How a value is written. */
  format(value: number): string;
  /** What opens the table. */
  tableLabel: string;
}

const HEIGHT = 100;
/** Width that one label takes. */
const SLOT = 10;
const INTERVALS = 4;

interface Scale {
  ticks: number[];
  y(value: number): number;
}

/** 1, 2, 2.5 or 5 times a power of ten: the smallest step of which four cover the range. */
const stepFor = (range: number): number => {
  const power = 10 ** Math.floor(Math.log10(range / INTERVALS));
  const factor = [1, 2, 2.5, 5, 10].find((candidate) => candidate * power * INTERVALS >= range) ?? 10;
  return factor * power;
};

const scaleOf = (series: readonly Series[]): Scale => {
  const values = series.flatMap(({ values }) => values);
  const [low, high] = [Math.min(0, ...values), Math.max(0, ...values)];
  const step = stepFor(high - low || 1);
  const bottom = Math.floor(low / step) * step;
  const top = Math.max(Math.ceil(high / step) * step, bottom + step);
  const ticks = Array.from({ length: Math.round((top - bottom) / step) + 1 }, (_, at) => bottom + at * step);
  return { ticks, y: (value) => rounded(HEIGHT - ((value - bottom) / (top - bottom)) * HEIGHT) };
};

const rounded = (value: number): number => Math.round(value * 100) / 100;

const barsOf = ({ series, labels, format }: Chart, { y }: Scale): Html[] => {
  const width = rounded((SLOT * 0.8) / series.length);
  return series.map(
    ({ name, values }, at) =>
      html`<g class="series-${at + 1}">${values.map((value, index) => {
        const [top, bottom] = [Math.min(y(value), y(0)), Math.max(y(value), y(0))];
        const x = rounded(index * SLOT + SLOT * 0.1 + at * width);
        return html`<rect x="${x}" y="${top}" width="${width}" height="${rounded(bottom - top)}"><title>${labels[index]} ${name}: ${format(value)}</title></rect>`;
      })}</g>`,
  );
};

const linesOf = ({ series, labels, format }: Chart, { y }: Scale): Html[] => {
  const at = (index: number): number => rounded(index * SLOT + SLOT / 2);
  return series.map(({ name, values }, number) => {
    const points = values.map((value, index) => `${at(index)} ${y(value)}`);
    // A point of no length is a round dot that keeps its size, and carries the value.
    return html`<g class="series-${number + 1}"><path class="line" d="M${points.join('L')}"/>${values.map(
      (value, index) =>
        html`<path class="dot" d="M${points[index] ?? ''}h0"><title>${labels[index]} ${name}: ${format(value)}</title></path>`,
    )}</g>`;
  });
};

const tableOf = ({ title, labelHead, labels, series, format, tableLabel }: Chart): Html =>
  html`<details><summary>${tableLabel}</summary><table><caption class="hidden">${title}</caption><thead><tr><th scope="col">${labelHead}</th>${series.map(({ name }) => html`<th scope="col" class="end">${name}</th>`)}</tr></thead><tbody>${labels.map(
    (label, index) =>
      html`<tr><th scope="row">${label}</th>${series.map(({ values }) => html`<td class="end">${format(values[index] ?? 0)}</td>`)}</tr>`,
  )}</tbody></table></details>`;

const MAX_LABELS = 7;

/** Each below its mark; of many, the first, the last and one between, so that they fit on a phone. */
const labelsOf = (labels: readonly string[]): Html => {
  const isEach = labels.length <= MAX_LABELS;
  const shown = isEach ? labels : [0, 1, 2].map((part) => labels[Math.round((part * (labels.length - 1)) / 2)] ?? '');
  return html`<ol class="x-axis ${isEach && 'each'}" aria-hidden="true">${shown.map((label) => html`<li>${label}</li>`)}</ol>`;
};

/** A bar or line chart, drawn here, with the table of its values. */
export const chart = (of: Chart): Html => {
  const scale = scaleOf(of.series);
  const width = Math.max(1, of.labels.length) * SLOT;
  const grid = scale.ticks.map((tick) => html`<path class="grid" d="M0 ${scale.y(tick)}h${width}"/>`);
  const marks = of.kind === 'bar' ? barsOf(of, scale) : linesOf(of, scale);
  return html`<figure class="chart"><figcaption>${of.title}</figcaption>${
    of.series.length > 1 &&
    html`<ul class="legend">${of.series.map(({ name }, at) => html`<li class="series-${at + 1}">${name}</li>`)}</ul>`
  }<div class="plot"><ol class="y-axis" aria-hidden="true">${scale.ticks.toReversed().map((tick) => html`<li>${of.format(tick)}</li>`)}</ol><svg viewBox="0 0 ${width} ${HEIGHT}" preserveAspectRatio="none" role="img" aria-label="${of.title}">${grid}${marks}</svg>${labelsOf(of.labels)}</div>${tableOf(of)}</figure>`;
};
