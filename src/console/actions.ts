import type { FormView } from './components/form.ts';
import { attributes, type Child, type Html, html } from './html.ts';
import { icon } from './icons.ts';
import { isOffered } from './offers.ts';
import type { PageCall } from './page.ts';
import { url } from './url.ts';

/** What a record offers, as its operation returns it: what the reader may do with it now, and why not the rest. */
export interface Offer {
  action: string;
  refusedBecause: string | null;
}

/** How one action of a record looks. */
export interface ActionLook {
  /** The form of the page that does it. */
  form: string;
  /** The text of the button. */
  label: string;
  /** The question above what is confirmed. Default: the label. */
  title?: string;
  tone?: 'danger';
  /** Figures, and what it does. Without them, and without controls, the button does it without asking. */
  confirm?: Child;
  /** What stands in the form. Default: its fields. */
  content?: Html;
  isDownload?: boolean;
}

// biome-ignore lint/suspicious/noExplicitAny: forms with any fields
export type AnyForms = Readonly<Record<string, FormView<any>>>;

export interface ActionsOf {
  offers: readonly Offer[];
  /** By action, in the order in which they stand. An action without a look is not shown. */
  looks: Readonly<Record<string, ActionLook>>;
  /** Actions that bring the record further. They come first, and one of them that is refused says why. */
  next: readonly string[];
  /** Why an action is refused, in words; null: not worth a word. */
  refusal?(action: string, refusedBecause: string): Child;
}

/** In the address of the page that shows one action alone: without scripts, it stands in for the dialog. */
const OPEN = 'do';

const formOf = (forms: AnyForms, { form }: ActionLook): FormView<Record<never, never>> => {
  const found = forms[form];
  if (!found) throw new Error(`The page has no form ${form}`);
  return found;
};

const formView = (forms: AnyForms, look: ActionLook): Html => {
  const { label: submit, tone, content, isDownload } = look;
  return formOf(forms, look).render({
    submit,
    ...(tone && { tone }),
    ...(content && { content }),
    ...(isDownload && { isDownload }),
  });
};

const asks = (forms: AnyForms, look: ActionLook): boolean => look.confirm !== undefined || formOf(forms, look).hasControls;

interface Asking {
  action: string;
  look: ActionLook;
  kind: string;
  texts: PageCall['texts'];
}

/** The dialog opens by script; without one, the link leads to a page with the same. */
const asking = (forms: AnyForms, { action, look, kind, texts }: Asking): Html => {
  const id = `do-${action}`;
  const { label, title = label, confirm } = look;
  return html`<a class="button ${kind}" href="${url(`?${OPEN}=${action}`)}" data-dialog="${id}">${label}</a><dialog id="${id}" aria-labelledby="${id}-title"><form method="dialog" class="dialog-head"><h2 id="${id}-title">${title}</h2><button class="quiet small" aria-label="${texts.kit.close}">${icon('cross')}</button></form>${confirm}${formView(forms, look)}</dialog>`;
};

const shownActions = (of: ActionsOf, forms: AnyForms): [string, ActionLook][] => {
  const all = Object.entries(of.looks).filter(
    ([action, look]) => isOffered({ availableActions: of.offers }, action) && formOf(forms, look).isAllowed,
  );
  return all.toSorted(([a], [b]) => Number(of.next.includes(b)) - Number(of.next.includes(a)));
};

/** Buttons of what the reader may do, those that bring the record further first. What they may not do is no button. */
export const actionsView = (of: ActionsOf, forms: AnyForms, { texts }: Pick<PageCall, 'texts'>): Html | false => {
  const shown = shownActions(of, forms);
  const refusals = of.offers.flatMap(({ action, refusedBecause }) => {
    if (refusedBecause === null || !of.next.includes(action)) return [];
    const said = of.refusal?.(action, refusedBecause) ?? null;
    return said === null ? [] : [said];
  });
  if (shown.length + refusals.length === 0) return false;
  return html`${refusals.map((said) => html`<p class="refused">${icon('clock')}<span>${said}</span></p>`)}${
    shown.length > 0 &&
    html`<div class="actions">${shown.map(([action, look], at) => {
      const isFirst = at === 0 && of.next.includes(action);
      const kind = look.tone ?? (isFirst ? 'primary' : 'secondary');
      return asks(forms, look) ? asking(forms, { action, look, kind, texts }) : formView(forms, look);
    })}</div>`
  }`;
};

export interface OpenAction {
  title: string;
  content: Html;
}

/** The one action that the address names, or whose form was sent and is shown again; null: the whole record is shown. */
export const openAction = (
  of: ActionsOf,
  forms: AnyForms,
  call: Pick<PageCall, 'query' | 'path' | 'texts'>,
): OpenAction | null => {
  const sent = Object.entries(of.looks).find(([, look]) => formOf(forms, look).isSent);
  const [action, look] = sent ?? Object.entries(of.looks).find(([name]) => name === call.query[OPEN]) ?? [];
  if (action === undefined || look === undefined) return null;
  const view = formOf(forms, look);
  const isOpen = isOffered({ availableActions: of.offers }, action) && view.isAllowed;
  if (!isOpen && !view.isSent) return null;
  const back = html`<p><a${attributes({ class: isOpen ? null : 'button primary', href: call.path })}>${isOpen ? call.texts.kit.goBack : call.texts.kit.back}</a></p>`;
  return {
    title: look.title ?? look.label,
    // Nobody is offered again what has been refused for good.
    content: isOpen
      ? html`<div class="card">${look.confirm}${formView(forms, look)}${back}</div>`
      : html`${view.problems}${back}`,
  };
};
