import { attributes, type Child, type Html, html } from '../html.ts';
import type { PageCall } from '../page.ts';
import { path, url } from '../url.ts';

export interface Column<Row> {
  head: string;
  cell(row: Row): Child;
  /** Numbers and amounts stand at the end of their column. */
  align?: 'end' | undefined;
  /** Each row is one line: what is longer than its share of the width is cut. */
  isLong?: true | undefined;
  /** Set for a column that the list can be sorted by. */
  sort?: SortLink | undefined;
}

/** What a click on the head of a column leads to. */
export interface SortLink {
  href: string;
  /** How the list is sorted by this column now; null when it is sorted by another. */
  now: 'ascending' | 'descending' | null;
}

export interface Table<Row> {
  /** What the table shows; read out, not shown. */
  caption: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  /** In place of a table without rows. */
  empty: Html;
  /** On a wide screen, a row has one line: for rows that lead to a page with the whole of it. */
  isOneLine?: boolean | undefined;
  /** Where the whole row leads to. Links and controls in its cells stay their own. Null: nowhere. */
  href?: ((row: Row) => string | null) | undefined;
}

const headOf = <Row>({ head, align, sort }: Column<Row>): Html => {
  const content = sort === undefined ? head : html`<a class="sort" href="${url(sort.href)}">${head}</a>`;
  return html`<th scope="col"${attributes({ class: align, 'aria-sort': sort?.now })}>${content}</th>`;
};

/** A table that becomes a list of cards on a phone. The first column names the row. */
export const table = <Row>({ caption, columns, rows, empty, href, isOneLine = false }: Table<Row>): Html => {
  if (rows.length === 0) return empty;
  const cellAttributes = columns.map(({ head, align, isLong }) =>
    attributes({ 'data-label': head, class: isLong ? 'long' : align }),
  );
  const lines = rows.map((row) => {
    const to = href?.(row) ?? null;
    const rest = columns.map(({ cell }, at) => {
      if (at > 0) return html`<td${cellAttributes[at]}>${cell(row)}</td>`;
      return html`<th scope="row"${cellAttributes[at]}>${to === null ? cell(row) : html`<a class="row" href="${url(to)}">${cell(row)}</a>`}</th>`;
    });
    return html`<tr>${rest}</tr>`;
  });
  return html`<div class="table"><table class="cards ${isOneLine && 'lines'}"><caption class="hidden">${caption}</caption><thead><tr>${columns.map(headOf)}</tr></thead><tbody>${lines}</tbody></table></div>`;
};

export interface ListMeta {
  total: number;
  totalCapped?: true;
  hasMore: boolean;
  nextCursor?: string;
}

/** Pages of a list know only the next one: the way back is kept in the address. */
const TRAIL = 'trail';
/** Cursors of that many pages: a longer address is not taken everywhere. */
const MAX_TRAIL = 20;

const trailOf = (query: PageCall['query']): string[] => (query[TRAIL] ?? '').split('~').filter((cursor) => cursor !== '');

interface Pager {
  /** How many rows a page may have; the first is the default. */
  sizes?: readonly number[];
}

/** How many there are, and the way to the previous and the next page. Filters of the address are kept. */
export const pager = (
  page: Pick<PageCall, 'query' | 'path' | 'texts' | 'format'>,
  meta: ListMeta,
  shown: number,
  { sizes = [] }: Pager = {},
): Html => {
  const { texts, format, query } = page;
  const count = format.number(meta.total);
  const total = meta.totalCapped ? texts.kit.moreThan(count) : count;
  const { cursor } = query;
  const trail = trailOf(query);
  const to = (more: Readonly<Record<string, string | undefined>>): string =>
    path(page.path as `/${string}`, {}, { ...query, cursor: undefined, [TRAIL]: undefined, ...more });
  const back = { cursor: trail.at(-1), [TRAIL]: trail.slice(0, -1).join('~') };
  const onward = { cursor: meta.nextCursor, [TRAIL]: [...trail, ...(cursor ? [cursor] : [])].slice(-MAX_TRAIL).join('~') };
  return html`<nav class="pager" aria-label="${texts.kit.pages}"><span>${texts.kit.shown(format.number(shown), total)}</span>${meta.total > (sizes[0] ?? 0) && sizesView(page, sizes, to)}<span class="turn">${
    trail.length > 0 && html`<a href="${url(to({}))}">${texts.kit.firstPage}</a>`
  }${cursor !== undefined && html`<a class="button secondary small" href="${url(to(back))}" rel="prev">${texts.kit.previousPage}</a>`}${
    meta.hasMore &&
    meta.nextCursor &&
    html`<a class="button secondary small" href="${url(to(onward))}" rel="next">${texts.kit.nextPage}</a>`
  }</span></nav>`;
};

const sizesView = (
  { texts, format, query }: Pick<PageCall, 'query' | 'texts' | 'format'>,
  sizes: readonly number[],
  to: (more: Readonly<Record<string, string>>) => string,
): Html | false =>
  sizes.length > 1 &&
  html`<span class="sizes">${texts.kit.rows} ${sizes.map((size, at) => {
    const isCurrent = query['limit'] === undefined ? at === 0 : query['limit'] === String(size);
    return html`<a href="${url(to({ limit: String(size) }))}"${attributes({ 'aria-current': isCurrent && 'true' })}>${format.number(size)}</a> `;
  })}</span>`;

export interface Filter {
  name: string;
  label: string;
  /** Left out: a text is typed. */
  options?: readonly { value: string; label: string }[] | undefined;
  type?: 'search' | 'date' | undefined;
}

interface FiltersMore {
  /** Id of what scripts replace when a filter changes. Left out: filters apply when the button is pressed. */
  target?: string;
  /** As `target`, for what stands elsewhere. */
  others?: readonly string[];
  /** What was set elsewhere and stays. */
  kept?: Readonly<Record<string, string | undefined>>;
}

/** While somebody types, and when they choose. */
const ON_CHANGE = 'submit, change, input delay:400ms from:find input[type=search]';

/** Filters of a list, in its address. With scripts they apply on change; the button stays for everybody else. */
export const filters = (
  page: Pick<PageCall, 'query' | 'path' | 'texts'>,
  all: readonly Filter[],
  { target, others = [], kept = {} }: FiltersMore = {},
): Html => {
  const live =
    target === undefined
      ? {}
      : {
          'hx-get': page.path,
          'hx-trigger': all.some(({ options, type }) => !options && type !== 'date') ? ON_CHANGE : 'submit, change',
          'hx-target': `#${target}`,
          'hx-select': `#${target}`,
          'hx-swap': 'outerHTML',
          'hx-push-url': 'true',
          ...(others.length > 0 && { 'hx-select-oob': others.map((id) => `#${id}`).join(',') }),
        };
  const controls = all.map(({ name, label, options, type = 'search' }) => {
    const value = page.query[name] ?? '';
    const control = options
      ? html`<select id="filter-${name}" name="${name}"><option value="">${page.texts.kit.all}</option>${options.map(
          (option) =>
            html`<option value="${option.value}"${attributes({ selected: option.value === value })}>${option.label}</option>`,
        )}</select>`
      : html`<input id="filter-${name}" name="${name}" type="${type}" value="${value}" autocomplete="off">`;
    return html`<div class="field"><label for="filter-${name}">${label}</label>${control}</div>`;
  });
  const more = Object.entries(kept).map(([name, value]) => value && html`<input type="hidden" name="${name}" value="${value}">`);
  return html`<form class="filters" method="get" action="${url(page.path)}"${attributes(live)}>${more}${controls}<button${attributes({ class: target === undefined ? 'secondary' : 'secondary small apply' })}>${page.texts.kit.filter}</button></form>`;
};
