import type { OperationId } from '../api/pipeline/call-operation.ts';
import { type Child, html } from './html.ts';
import { columnsForm, exportLink, type List, type ListOperation, type RowOf, toolsOf } from './list.ts';
import {
  type Audience,
  type Form,
  type Navigation,
  type Page,
  type PageCall,
  page,
  redirectToSigned,
  type View,
} from './page.ts';

interface Placed {
  path: `/${string}`;
  audience: Exclude<Audience, 'public'>;
  navigation?: Navigation;
  below?: `/${string}`;
}

// biome-ignore lint/suspicious/noExplicitAny: forms with any fields
type AnyForms = Readonly<Record<string, Form<any>>>;
// biome-ignore lint/suspicious/noExplicitAny: forms with any fields
type AnyViews = Parameters<NonNullable<Page['view']>>[1] & Readonly<Record<string, any>>;

interface ListPageOf<Id extends ListOperation> extends Placed {
  list: List<Id>;
  title(call: PageCall): string;
  /** Operations besides that of the list, without which the page makes no sense. */
  uses?: readonly OperationId[];
  /** Operations that it calls for people who may use them. */
  mayUse?: readonly OperationId[];
  forms?: AnyForms;
  /** Returns the address of a file with what the list shows. `listExport` declares where the link leads to. */
  exportedBy?: OperationId;
  /** Links and buttons next to the heading. */
  actions?(call: PageCall): Child;
  /** Content between the heading and the list. */
  above?(call: PageCall, forms: AnyViews): Child | Promise<Child>;
  /** Below the list, such as forms for its rows. */
  after?(call: PageCall, forms: AnyViews, rows: readonly RowOf<Id>[]): Child | Promise<Child>;
}

/** The address of the list's file, below that of the list. */
const exportPath = (at: `/${string}`): `/${string}` => `${at}/export`;

/** A page that is one list: heading, filters, table, pages, the choice of columns and its file. */
export const listPage = <const Id extends ListOperation>(of: ListPageOf<Id>): Page => {
  const { list, path, audience, navigation, below, exportedBy, forms = {}, uses = [], mayUse = [] } = of;
  // An embedded page has no cookies.
  const choice = audience === 'embed' ? {} : { columns: columnsForm(list.id) };
  return page({
    path,
    audience,
    ...(navigation && { navigation }),
    ...(below && { below }),
    uses: [list.operation, ...uses],
    mayUse: [...mayUse, ...(exportedBy ? [exportedBy] : [])],
    forms: { ...forms, ...choice } as AnyForms,
    async view(given, views): Promise<View> {
      const call = given as PageCall;
      const all = views as AnyViews;
      const { rows, content, tools, status } = await list.show(call, { forms: all });
      const file =
        exportedBy && call.allows(exportedBy) && rows.length > 0 ? exportLink(call, exportPath(path), list.queryOf(call)) : null;
      return {
        title: of.title(call),
        actions: html`${toolsOf(list.id, [tools, file])}${of.actions?.(call)}`,
        content: html`${await of.above?.(call, all)}${content}${await of.after?.(call, all, rows)}`,
        status,
      };
    },
  });
};

interface ListExportOf<Id extends ListOperation> extends Pick<Placed, 'audience' | 'below'> {
  list: List<Id>;
  /** Path of the list's page. */
  path: `/${string}`;
  by: OperationId;
}

/** Leads to the file of a list, with its filters: the address of the file is made for each download. */
export const listExport = <const Id extends ListOperation>({ list, path, audience, below, by }: ListExportOf<Id>): Page =>
  page({
    path: exportPath(path),
    audience,
    below: below ?? path,
    uses: [by],
    async view(call) {
      const { data } = await (call as PageCall).call(by, { query: list.queryOf(call as PageCall) } as never);
      return redirectToSigned((data as { url: string }).url);
    },
  });
