import type { OperationId, OperationInput, OperationResult, OperationSuccess } from '../api/pipeline/call-operation.ts';
import type { Asset } from './assets.ts';
import type { Brand } from './brand.ts';
import type { Fields, FormView, ValuesOf } from './components/form.ts';
import type { Cookies } from './cookies.ts';
import type { Flash } from './flash.ts';
import type { Format } from './format.ts';
import type { Child } from './html.ts';
import type { IconName } from './icons.ts';
import type { BrowserRequest, PersonSession } from './sessions.ts';
import type { Language, Texts } from './texts/texts.ts';

/**
 * `public` pages are for everybody, those of `embed` for whoever has a token of a merchant, the others for people who act for a
 * merchant, or as an affiliate.
 */
export type Audience = 'public' | 'merchant' | 'affiliate' | 'embed';

/** Where the pages of an audience begin. */
export const HOME = { public: '/', merchant: '/console', affiliate: '/portal', embed: '/embed' } as const;

type Input<Id extends OperationId> =
  object extends OperationInput<Id> ? [input?: OperationInput<Id>] : [input: OperationInput<Id>];

/** One request of a page. */
export interface PageCall<Uses extends OperationId = OperationId> {
  texts: Texts;
  language: Language;
  format: Format;
  person: PersonSession | null;
  /** Path of this address, without the query. */
  path: string;
  /** Where an affiliate's other pages are, such as payout details, for a page under a program's domain; null if they are here. */
  accountUrl: string | null;
  /** The first value of each parameter. */
  query: Readonly<Record<string, string>>;
  /** A parameter of the path, such as `id`. */
  param(name: string): string;
  request: BrowserRequest;
  /**
   * The response of an operation. An error ends the page: where a form was sent, the form is shown again with it, else the page of the
   * error. The first write carries the idempotency key of the form, each further one a key that follows from it.
   */
  call<Id extends Uses>(id: Id, ...input: Input<Id>): Promise<OperationSuccess<Id>>;
  /** Like `call`, for errors that the page handles. */
  attempt<Id extends Uses>(id: Id, ...input: Input<Id>): Promise<OperationResult<Id>>;
  /** Whether the person may call an operation, as far as its access rule says. */
  allows(id: OperationId): boolean;
  /** Address of a workflow in the Temporal UI; null when the UI's address is not configured. */
  workflowUrl(workflowId: string): string | null;
}

export interface View {
  kind?: undefined;
  /** Title of the window, and the heading of the page unless it has another. */
  title: string;
  heading?: Child;
  /** Links and buttons next to the heading. */
  actions?: Child;
  content: Child;
  status?: number;
  /** Scripts of this page alone. */
  scripts?: readonly Asset[];
  cookies?: Cookies;
  /** Whose page it is, in place of the name of this software. Default: that of an embedded page, of the domain, or of the only program. */
  brand?: Brand;
  /** Origins that may show the page in a frame. Default: those of an embedded page, else none. */
  frames?: readonly string[];
}

export interface Redirect {
  kind: 'redirect';
  to: string;
  flash: Flash | null;
  cookies: Cookies;
}

/** Redirects to another page of this origin, which shows the message once. */
export const redirect = (
  to: string,
  { flash = null, tone = 'good', cookies = {} }: { flash?: string | null; tone?: Flash['tone']; cookies?: Cookies } = {},
): Redirect => ({ kind: 'redirect', to, flash: flash === null ? null : { text: flash, tone }, cookies });

/** Redirects to what a signed URL of this origin leads to: a file, or a page for print. */
export const redirectToSigned = (signedUrl: string): Redirect => {
  const { pathname, search } = new URL(signedUrl);
  return redirect(`${pathname}${search}`);
};

/** A file that the browser saves; the page stays as it is. A form that may end so is rendered with `isDownload`. */
export interface Download {
  kind: 'download';
  name: string;
  contentType: string;
  content: string;
}

export type PageResult = View | Redirect | Download;
type Maybe<T> = T | Promise<T>;

/** A form of a page, and what sending it does. */
export interface Form<F extends Fields = Fields> {
  fields: F;
  /** Operations that sending it needs; who may not call them all cannot send it. */
  uses: readonly OperationId[];
  submit(page: PageCall, values: ValuesOf<F>): Maybe<PageResult>;
}

/** A control with such a name hides the property of its form from scripts: `form.action` is then the control. */
const RESERVED = new Set(
  'action addEventListener attributes children closest contains dispatchEvent elements enctype form getAttribute hasAttribute id isConnected length matches method noValidate parentNode querySelectorAll removeAttribute requestSubmit reset sentForm setAttribute submit tagName target'.split(
    ' ',
  ),
);

export const form = <F extends Fields, const U extends OperationId = never>(of: {
  fields: F;
  uses: readonly U[];
  submit(page: PageCall<U>, values: ValuesOf<F>): Maybe<PageResult>;
}): Form<F> => {
  const wrong = Object.keys(of.fields).find((name) => RESERVED.has(name));
  if (wrong !== undefined) throw new Error(`A field may not be called ${wrong}: give it another name, and the path of the API`);
  return of as unknown as Form<F>;
};

// biome-ignore lint/suspicious/noExplicitAny: forms with any fields
type AnyForms = Readonly<Record<string, Form<any>>>;
type ViewsOf<Forms> = { [Name in keyof Forms]: Forms[Name] extends Form<infer F> ? FormView<F> : never };

export interface Navigation {
  label: string | ((texts: Texts) => string);
  icon: IconName;
}

interface Declaration {
  /** Parameters as `{id}`. */
  path: `/${string}`;
  audience: Audience;
  /** The entry in the navigation; entries stand in the order of the table. */
  navigation?: Navigation;
  /** The navigation entry that an address without a page of its own belongs to. */
  below?: `/${string}`;
}

/** A page without its type parameters, for the server and the tests. */
export interface Page extends Declaration {
  /** Operations that the page needs: whoever may not call them all cannot open it. */
  uses: readonly OperationId[];
  /** Operations that it calls for those who may. */
  mayUse: readonly OperationId[];
  forms: Readonly<Record<string, Form>>;
  view: ((page: PageCall, forms: Readonly<Record<string, FormView<Fields>>>) => Maybe<PageResult>) | null;
  /** Set for a page that is only sent: where its errors are shown. */
  back: ((page: PageCall) => string) | null;
}

/** A form that was sent and has to wait: what it would have sent, with its idempotency key. */
export interface PendingForm {
  action: string;
  fields: readonly (readonly [name: string, value: string])[];
}

/** Declares one page: its address, its forms and who may open it follow from this. */
export const page = <
  const U extends OperationId = never,
  const M extends OperationId = never,
  Forms extends AnyForms = Record<never, never>,
>(
  declared: Declaration & {
    uses: readonly U[];
    mayUse?: readonly M[];
    forms?: Forms;
    view(page: PageCall<U | M>, forms: ViewsOf<Forms>): Maybe<PageResult>;
  },
): Page => ({ mayUse: [], forms: {}, back: null, ...declared }) as unknown as Page;

/** A button of other pages: it can only be sent. `back` is where its errors are shown. */
export const action = <F extends Fields, const U extends OperationId = never>(
  declared: Declaration & {
    fields?: F;
    uses: readonly U[];
    submit(page: PageCall<U>, values: ValuesOf<F>): Maybe<PageResult>;
    back(page: PageCall): string;
  },
): Page => {
  const { fields = {} as F, uses, submit, ...rest } = declared;
  return { ...rest, uses, mayUse: [], forms: { main: form({ fields, uses, submit }) as unknown as Form }, view: null };
};
