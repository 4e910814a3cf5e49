import type { OperationId, OperationSuccess } from '../api/pipeline/call-operation.ts';
import type { AnyForms } from './actions.ts';
import { columnsCookie, readChosenColumns } from './chosen-columns.ts';
import { buttonLink, type EmptyState, emptyState, notice } from './components/blocks.ts';
import { checkboxes } from './components/choices.ts';
import { hidden, type Label } from './components/fields.ts';
import { type FormView, labelOf } from './components/form.ts';
import { type Column, type Filter, filters, type ListMeta, pager, type SortLink, table } from './components/table.ts';
import { attributes, type Child, type Html, html } from './html.ts';
import { icon } from './icons.ts';
import { queryOf } from './list-query.ts';
import { form, type PageCall, redirect } from './page.ts';
import { OperationFailed } from './page-call.ts';
import { ownPath, path, url } from './url.ts';

/** Operations that return rows. */
export type ListOperation = {
  [Id in OperationId]: OperationSuccess<Id>['data'] extends readonly unknown[] ? Id : never;
}[OperationId];
export type RowOf<Id extends ListOperation> = OperationSuccess<Id>['data'] extends readonly (infer Row)[] ? Row : never;

export interface ListColumn<Row> extends Omit<Column<Row>, 'sort'> {
  /** Identifies the column in the choice of columns and among the list's columns. */
  id: string;
  /** Shown only to those who chose it. */
  isExtra?: true;
  /** What the operation sorts by, highest or newest first unless `order` says more. */
  sort?: string;
}

type Options = NonNullable<Filter['options']>;

export interface ListFilter extends Omit<Filter, 'label' | 'options'> {
  label: Label;
  /** If left out, the reader types a text. A function if the options depend on the reader; if there are none, the filter is hidden. */
  options?: Options | ((call: PageCall) => Options | Promise<Options>);
  /** The parameter of the operation, where it is not that of the address. */
  as?: string;
}

interface ListOf<Id extends ListOperation> {
  /** Unique among all lists. */
  id: string;
  operation: Id;
  /** Parameters in the path of the operation. */
  params?(call: PageCall): Readonly<Record<string, string>>;
  /** What is always asked for. */
  fixed?: Readonly<Record<string, string>>;
  /** What the table shows; read out, and part of the name of its file. */
  caption(call: PageCall): string;
  /** The first one names the row and is always shown. `rows` are those of the page, for what has to be read about them; `forms` its forms. */
  columns(
    call: PageCall,
    rows: readonly RowOf<Id>[],
    forms: AnyForms,
  ): readonly ListColumn<RowOf<Id>>[] | Promise<readonly ListColumn<RowOf<Id>>[]>;
  /** Controls above the list, in its address. */
  filters?: readonly ListFilter[];
  /** Further parameters that links to the list set. */
  linked?: readonly string[];
  /** The parameter of the operation that names what it sorts by, and its value without one; `order` names its direction. */
  sorting?: { by: string; default: string; order?: string };
  /** Where a row leads to. Null: nowhere. */
  href?(row: RowOf<Id>, call: PageCall): string | null;
  /** When there is nothing to list: what would be here, and what to do next. */
  empty(call: PageCall): EmptyState;
  /** When filters match nothing. Default: a sentence that says so. */
  noMatch?(call: PageCall): EmptyState;
  /** On a wide screen, a row has one line. Its first column and those that are long are cut. */
  isOneLine?: true;
  /** Rows of a page that people choose from, the first by default. Left out: one size. */
  sizes?: readonly number[];
}

interface ShowMore {
  /** What stands around the table within what scripts replace, such as a form. */
  around?(table: Html, rows: readonly unknown[]): Html;
  /** Forms of the page: `columns` is the one that `columnsForm` declares, the others stand in cells. */
  forms?: AnyForms;
}

export interface ShownList<Row> {
  rows: readonly Row[];
  /** Filters, the table, and the way to other pages. */
  content: Html;
  /** Goes into the head of the page: the choice of columns, and the file of what is shown. */
  tools: Html | null;
  /** 400 where the address asks for something that the list does not have. */
  status: number;
}

export interface List<Id extends ListOperation = ListOperation> {
  id: string;
  operation: Id;
  /** The filters of an address as the query of the operation. */
  queryOf(call: PageCall): Readonly<Record<string, string>>;
  /** Reads a page of it and shows it. */
  show(call: PageCall, more?: ShowMore): Promise<ShownList<RowOf<Id>>>;
}

export const SIZES = [25, 50, 100] as const;
/** With fewer columns, there is no need to choose. */
const CHOICE_FROM = 6;

/** Declares a list once: what it shows, how it is filtered and sorted, and what it says when it is empty. */
export const list = <const Id extends ListOperation>(of: ListOf<Id>): List<Id> => {
  const target = `list-${of.id}`;
  const queryWith = (call: PageCall): Record<string, string> => {
    const named = (of.filters ?? []).map(({ name, as = name }) => [as, call.query[name]] as const);
    const linked = (of.linked ?? []).map((name) => [name, call.query[name]] as const);
    return Object.fromEntries([...named, ...linked].filter((entry): entry is [string, string] => Boolean(entry[1])));
  };

  const show = async (call: PageCall, { around, forms = {} }: ShowMore = {}): Promise<ShownList<RowOf<Id>>> => {
    const filtered = queryWith(call);
    const paging = queryOf(call, ['cursor', 'limit', ...sortNames(of.sorting)]);
    const query = { ...(of.sizes && { limit: String(of.sizes[0]) }), ...of.fixed, ...filtered, ...paging };
    const read = await call.attempt(of.operation, { params: of.params?.(call) ?? {}, query } as never);
    if ('error' in read && read.status !== 400) throw new OperationFailed(read);
    const shown = await shownFilters(call, of.filters ?? []);
    const controls = shown.length > 0 && filters(call, shown, { target, others: [toolsId(of.id)], kept: keptOf(call, of) });
    if ('error' in read) return { ...refused(call, new OperationFailed(read).message, target, controls), rows: [] };
    const rows = read.data as unknown as readonly RowOf<Id>[];
    const all = await of.columns(call, rows, forms);
    const chosen = chosenOf(call, of.id, all, forms['columns']);
    const isFiltered = Object.keys(filtered).length > 0;
    const empty = isFiltered ? (of.noMatch?.(call) ?? noMatch(call)) : of.empty(call);
    const made = table<RowOf<Id>>({
      caption: of.caption(call),
      rows,
      columns: chosen.map((column) => ({ ...column, sort: sortLink(call, of.sorting, column.sort) })),
      empty: emptyState(empty),
      isOneLine: of.isOneLine,
      href: of.href && ((row) => of.href?.(row, call) ?? null),
    });
    const meta = read.meta as ListMeta | undefined;
    const turn = meta?.hasMore !== undefined && rows.length > 0 && pager(call, meta, rows.length, { sizes: of.sizes ?? [] });
    return {
      rows,
      content: html`${controls}<div id="${target}">${around?.(made, rows) ?? made}${turn}</div>`,
      tools: forms['columns'] && all.length >= CHOICE_FROM ? columnsMenu(call, forms['columns'], all, chosen) : null,
      status: 200,
    };
  };

  return {
    id: of.id,
    operation: of.operation,
    queryOf: queryWith,
    show,
  };
};

/** Keeps the filters that offer something to choose from. */
const shownFilters = async (call: PageCall, all: readonly ListFilter[]): Promise<Filter[]> => {
  const made = await Promise.all(
    all.map(async ({ options, label, ...filter }) => ({
      ...filter,
      label: labelOf(label, call),
      options: typeof options === 'function' ? await options(call) : options,
    })),
  );
  return made.filter(({ options }) => options === undefined || options.length > 0);
};

/** Id of the element that scripts replace together with the list. */
export const toolsId = (listId: string): string => `tools-${listId}`;

const sortNames = (sorting: ListOf<ListOperation>['sorting']): string[] =>
  sorting === undefined ? [] : [sorting.by, ...(sorting.order === undefined ? [] : [sorting.order])];

/** What stays when a filter changes: everything but the place in the list. */
const keptOf = (call: PageCall, { linked = [], sorting }: Pick<ListOf<ListOperation>, 'linked' | 'sorting'>) =>
  queryOf(call, ['limit', 'token', ...linked, ...sortNames(sorting)]);

const refused = (call: PageCall, message: string, target: string, controls: Html | false) => ({
  content: html`${controls}<div id="${target}">${notice(html`<p>${message}</p><p>${buttonLink(call.path, call.texts.kit.showAll)}</p>`, 'bad')}</div>`,
  tools: null,
  status: 400,
});

const noMatch = (call: PageCall): EmptyState => ({
  icon: 'search',
  title: call.texts.kit.noMatch,
  action: buttonLink(call.path, call.texts.kit.showAll),
});

const sortLink = (
  { query, path: at }: PageCall,
  sorting: ListOf<ListOperation>['sorting'],
  value: string | undefined,
): SortLink | undefined => {
  if (sorting === undefined || value === undefined) return undefined;
  const { by, order } = sorting;
  const isNow = (query[by] ?? sorting.default) === value;
  const direction = order !== undefined && query[order] === 'asc' ? 'asc' : 'desc';
  const next = isNow && direction === 'desc' ? 'asc' : 'desc';
  const href = path(
    at as `/${string}`,
    {},
    {
      ...query,
      cursor: undefined,
      trail: undefined,
      [by]: value,
      ...(order === undefined ? {} : { [order]: next }),
    },
  );
  return { href, now: isNow ? (direction === 'asc' ? 'ascending' : 'descending') : null };
};

type AnyColumn = Pick<ListColumn<never>, 'id' | 'head' | 'isExtra'>;

/** The first column, and those that the person chose, in the order in which they are declared. */
const chosenOf = <C extends AnyColumn>(call: PageCall, listId: string, all: readonly C[], form: unknown): readonly C[] => {
  const chosen = form ? readChosenColumns(call).get(listId) : undefined;
  return all.filter(({ id, isExtra }, at) => at === 0 || (chosen ? chosen.includes(id) : isExtra !== true));
};

const fields = { columns: checkboxes({ label: ({ kit }) => kit.columns }), at: hidden(), back: hidden() };

/** Keeps which columns of a list the person sees. It changes nothing of anybody else. */
export const columnsForm = (listId: string) =>
  form({
    fields,
    uses: [],
    submit(call, { columns, at, back }) {
      const isDefault = columns.toSorted().join() === at.split(',').toSorted().join();
      const to = ownPath(back, call.path);
      return redirect(to.split('?')[0] === call.path ? to : call.path, {
        cookies: columnsCookie(call, listId, isDefault ? null : columns),
      });
    },
  });

/** `at` are the columns without a choice. */
const columnsMenu = (
  call: PageCall,
  // biome-ignore lint/suspicious/noExplicitAny: a form with any fields
  of: FormView<any>,
  all: readonly AnyColumn[],
  chosen: readonly AnyColumn[],
): Html => {
  const others = all.slice(1);
  const standard = others.filter(({ isExtra }) => isExtra !== true).map(({ id }) => id);
  const query = new URLSearchParams(call.query).toString();
  const filled = of.fill({
    columns: chosen.slice(1).map(({ id }) => id),
    at: standard.join(','),
    back: query === '' ? call.path : `${call.path}?${query}`,
  });
  const options = others.map(({ id, head }) => ({ value: id, label: head }));
  const content = html`${filled.field('columns', { options, isRequired: true })}${filled.field('at')}${filled.field('back')}`;
  return html`<details class="menu-of"><summary class="button secondary small">${icon('columns')}${call.texts.kit.columns}</summary><div class="card">${filled.render({ submit: call.texts.kit.apply, content })}</div></details>`;
};

/** The link to the file of what is shown. */
export const exportLink = (call: PageCall, to: `/${string}`, query: Readonly<Record<string, string | undefined>>): Html =>
  html`<a class="button secondary small" href="${url(path(to, {}, query))}"${attributes({ 'hx-boost': 'false' })}>${icon('down')}${call.texts.kit.export}</a>`;

/** Tools that stand next to the heading of a page with a list. */
export const toolsOf = (listId: string, tools: readonly Child[]): Html =>
  html`<span class="actions" id="${toolsId(listId)}">${tools}</span>`;
