import { attributes, type Child, type Html, html } from '../html.ts';
import type { PageCall } from '../page.ts';
import { path, url } from '../url.ts';

export interface Column<Row> {
  head: string;
  cell(row: Row): Child;
  /** Numbers and amounts stand at the end of their column. */
  align?: 'end';
}

export interface Table<Row> {
  /** What the table shows; read out, not shown. */
  caption: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  /** In place of a table without rows. */
  empty: Html;
}

/** A table that becomes a list of cards on a phone. The first column names the row. */
export const table = <Row>({ caption, columns, rows, empty }: Table<Row>): Html => {
  if (rows.length === 0) return empty;
  const heads = columns.map(({ head, align }) => html`<th scope="col"${attributes({ class: align })}>${head}</th>`);
  const cellAttributes = columns.map(({ head, align }) => attributes({ 'data-label': head, class: align }));
  const lines = rows.map((row) => {
    const rest = columns.map(({ cell }, at) =>
      at === 0 ? html`<th scope="row"${cellAttributes[at]}>${cell(row)}</th>` : html`<td${cellAttributes[at]}>${cell(row)}</td>`,
    );
    return html`<tr>${rest}</tr>`;
  });
  return html`<div class="table"><table class="cards"><caption class="hidden">${caption}</caption><thead><tr>${heads}</tr></thead><tbody>${lines}</tbody></table></div>`;
};

interface ListMeta {
  total: number;
  totalCapped?: true;
  hasMore: boolean;
  nextCursor?: string;
}

/** How many there are, and the way to the next page. Filters of the address are kept. */
export const pager = (page: Pick<PageCall, 'query' | 'path' | 'texts' | 'format'>, meta: ListMeta, shown: number): Html => {
  const { texts, format, query } = page;
  const count = format.number(meta.total);
  const total = meta.totalCapped ? texts.kit.moreThan(count) : count;
  const to = (cursor: string | undefined): string => path(page.path as `/${string}`, {}, { ...query, cursor });
  return html`<nav class="pager" aria-label="${texts.kit.nextPage}"><span>${texts.kit.shown(format.number(shown), total)}</span>${
    query['cursor'] !== undefined && html`<a href="${url(to(undefined))}">${texts.kit.firstPage}</a>`
  }${meta.hasMore && meta.nextCursor && html`<a class="button secondary" href="${url(to(meta.nextCursor))}" rel="next">${texts.kit.nextPage}</a>`}</nav>`;
};

export interface Filter {
  name: string;
  label: string;
  /** Left out: a text is typed. */
  options?: readonly { value: string; label: string }[];
}

/** Filters of a list, in its address. */
export const filters = (page: Pick<PageCall, 'query' | 'path' | 'texts'>, all: readonly Filter[]): Html =>
  html`<form class="filters" method="get" action="${url(page.path)}">${all.map(({ name, label, options }) => {
    const value = page.query[name] ?? '';
    const control = options
      ? html`<select id="filter-${name}" name="${name}"><option value="">–</option>${options.map(
          (option) =>
            html`<option value="${option.value}"${attributes({ selected: option.value === value })}>${option.label}</option>`,
        )}</select>`
      : html`<input id="filter-${name}" name="${name}" type="search" value="${value}">`;
    return html`<div class="field"><label for="filter-${name}">${label}</label>${control}</div>`;
  })}<button class="secondary">${page.texts.kit.filter}</button></form>`;
