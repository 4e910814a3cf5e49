import type { OperationId } from '../api/pipeline/call-operation.ts';
import { type ActionsOf, type AnyForms, actionsView, openAction } from './actions.ts';
import { badge, facts, notice } from './components/blocks.ts';
import { type Child, type Html, html } from './html.ts';
import { type Audience, type Form, type Navigation, type Page, type PageCall, page, type View } from './page.ts';
import type { Said } from './said.ts';
import { url } from './url.ts';

interface Section {
  title: string;
  content: Child;
}

/** One thing and what can be done with it, as its page shows it. */
export interface RecordView {
  title: string;
  /** In place of the title: with names of their own direction. */
  heading?: Child;
  /** The list that it belongs to. */
  back?: { href: string; label: string };
  /** Beside the heading: links to other places. */
  links?: Child;
  /** Where it is, why, by when somebody has to act, and the one next step. `next` in place of that of `said`. */
  situation: { said: Said; next?: Child; until?: string | null; more?: Child } | null;
  actions?: ActionsOf;
  /** How it came here, as a picture. */
  steps?: Html | false | null;
  /** Amounts and progress. */
  figures?: Html | false | null;
  facts?: readonly (readonly [name: string, value: Child])[];
  /** In their order; what is null is left out. */
  sections?: readonly (Section | null)[];
}

// biome-ignore lint/suspicious/noExplicitAny: forms with any fields
type DeclaredForms = Readonly<Record<string, Form<any>>>;

interface RecordPageOf<U extends OperationId, M extends OperationId, Forms extends DeclaredForms> {
  path: `/${string}`;
  audience: Audience;
  navigation?: Navigation;
  below?: `/${string}`;
  uses: readonly U[];
  mayUse?: readonly M[];
  forms?: Forms;
  read(call: PageCall<U | M>, forms: { [Name in keyof Forms]: AnyForms[string] }): RecordView | Promise<RecordView>;
}

/** A page about one thing: its situation and buttons on top, then steps, figures, facts and sections. */
export const recordPage = <
  const U extends OperationId,
  const M extends OperationId = never,
  Forms extends DeclaredForms = Record<never, never>,
>({
  read,
  ...declared
}: RecordPageOf<U, M, Forms>): Page =>
  page({
    ...declared,
    forms: (declared.forms ?? {}) as DeclaredForms,
    async view(call, views) {
      const forms = views as unknown as AnyForms;
      const record = await read(call as PageCall<U | M>, forms as { [Name in keyof Forms]: AnyForms[string] });
      const open = record.actions ? openAction(record.actions, forms, call) : null;
      return open
        ? { title: `${open.title}: ${record.title}`, heading: open.title, content: html`${aboutOf(record)}${open.content}` }
        : viewOf(record, forms, call as PageCall);
    },
  } as Parameters<typeof page>[0]);

const aboutOf = ({ heading, title, situation }: RecordView): Html =>
  html`<p>${heading ?? title} ${situation && badge(situation.said.label, situation.said.tone)}</p>`;

const situationView = ({ situation, actions }: RecordView, forms: AnyForms, call: PageCall): Html | null => {
  const buttons = actions ? actionsView(actions, forms, call) : false;
  if (situation === null) return buttons === false ? null : html`<div class="card">${buttons}</div>`;
  const { said, until = null, more } = situation;
  const next = situation.next === undefined ? said.next : situation.next;
  return notice(
    html`<p>${said.text}</p>${next !== null && next !== false && html`<p><strong>${next}</strong></p>`}${until !== null && html`<p>${call.texts.kit.deadline} ${call.format.time(until)}</p>`}${more}${buttons}`,
    said.tone,
  );
};

const viewOf = (record: RecordView, forms: AnyForms, call: PageCall): View => {
  const { title, heading = title, back, links, situation, steps, figures, sections = [] } = record;
  return {
    title,
    heading: html`${heading} ${situation && badge(situation.said.label, situation.said.tone)}`,
    actions: links,
    content: html`${back && html`<p class="trail"><a href="${url(back.href)}">${back.label}</a></p>`}${situationView(record, forms, call)}${steps}${figures}${
      record.facts && facts(record.facts)
    }${sections.map((section) => section && html`<section><h2>${section.title}</h2>${section.content}</section>`)}`,
  };
};
