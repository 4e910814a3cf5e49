import { attributes, type Child, type Html, html } from '../html.ts';
import { icon } from '../icons.ts';
import { url } from '../url.ts';
import type { Field, Label, Option, Reading } from './fields.ts';

// biome-ignore lint/suspicious/noExplicitAny: fields of any type
export type Fields = Readonly<Record<string, Field<any>>>;
export type ValuesOf<F extends Fields> = { [K in keyof F]: F[K] extends Field<infer T> ? T : never };
export type Raw = Readonly<Record<string, readonly string[]>>;

/** What is wrong with one field, or with the form as a whole. */
export interface Problem {
  field: string | null;
  message: string;
}

export interface FormState {
  raw: Raw;
  problems: readonly Problem[];
}

/** What a form is shown with. */
export interface FormOf<F extends Fields> {
  name: string;
  action: string;
  fields: F;
  /** What was sent, with its problems; null before. */
  sent: FormState | null;
  idempotencyKey: string;
  /** Id of the merchant or affiliate that the form is for; null on public pages. */
  owner: string | null;
  isAllowed: boolean;
  reading: Reading;
}

interface FieldMore {
  label?: string;
  hint?: Child;
  options?: readonly Option[];
  isRequired?: boolean;
  /** When the field is needed, in place of that it is optional. */
  optional?: string;
}

interface RenderOf {
  submit: string;
  content?: Child;
  tone?: 'danger' | undefined;
  isInline?: boolean;
  isDownload?: boolean;
  /** Whether a script sends it: the person has nothing to decide. Without scripts, the button does. */
  leadsOn?: boolean;
}

export interface FormView<F extends Fields> {
  /** Whether the person may send it. */
  isAllowed: boolean;
  /** Whether it was sent, and is shown again with what is wrong. */
  isSent: boolean;
  /** Whether somebody has to fill something in. */
  hasControls: boolean;
  /** What was wrong with what was sent, for pages that do not show the form itself again. */
  problems: Html | null;
  /** What was sent for this field, for controls that stand in a table; none before. */
  sentTexts(name: keyof F & string): readonly string[];
  /** The same with these values, unless others were sent. */
  fill(values: Partial<ValuesOf<F>>): FormView<F>;
  /** Label, hint, problem and control. */
  field(name: keyof F & string, more?: FieldMore): Html;
  /** The whole form. `content` is what stands in it, by default all fields in their order. */
  render(of: RenderOf): Html;
}

export const labelOf = (label: Label, { texts }: Reading): string => (typeof label === 'string' ? label : label(texts));

export const formView = <F extends Fields>(of: FormOf<F>, filled: Raw = {}): FormView<F> => {
  const { fields, sent, reading } = of;
  const hasFile = Object.values(fields).some(({ isFile }) => isFile);
  const idOf = (name: string): string => `${of.name}-${name}`;
  const problemsOf = (name: string): Problem[] => sent?.problems.filter(({ field }) => field === name) ?? [];

  const field = (name: string, more: FieldMore = {}): Html => {
    const declared = fields[name];
    if (!declared) throw new Error(`The form ${of.name} has no field ${name}`);
    const parts = { id: idOf(name), label: more.label ?? labelOf(declared.label, reading), problems: problemsOf(name) };
    const hint = more.hint ?? (declared.hint === undefined ? undefined : labelOf(declared.hint, reading));
    const raw = (sent ? sent.raw[name] : filled[name]) ?? [];
    const { texts } = reading;
    const control = (stateAttributes: Html): Html =>
      declared.control({ id: parts.id, name, raw, stateAttributes, options: more.options ?? declared.options ?? [], texts });
    const isRequired = more.isRequired ?? declared.isRequired;
    return wrapField({
      ...parts,
      hint,
      declared: { ...declared, isRequired },
      control,
      optional: more.optional ?? texts.kit.optional,
      required: texts.kit.required,
    });
  };

  return {
    isAllowed: of.isAllowed,
    isSent: sent !== null,
    hasControls: Object.values(fields).some(({ shape }) => shape !== 'hidden'),
    problems: summary(
      { sent: sent && { ...sent, problems: sent.problems.map(({ message }) => ({ field: null, message })) }, reading },
      idOf,
    ),
    sentTexts: (name) => sent?.raw[name] ?? [],
    fill(values) {
      const written = Object.entries(values).map(([name, value]) => [name, fields[name]?.write(value, reading) ?? []]);
      return formView(of, { ...filled, ...Object.fromEntries(written) });
    },
    field,
    render: ({ submit, content = Object.keys(fields).map((name) => field(name)), tone, isInline, isDownload, leadsOn }) =>
      html`<form method="post" action="${url(of.action)}" novalidate${attributes({ class: isInline && 'inline', enctype: hasFile && 'multipart/form-data', 'hx-boost': isDownload && 'false', 'data-lead-on': leadsOn })}><input type="hidden" name="sentForm" value="${of.name}"><input type="hidden" name="idempotencyKey" value="${of.idempotencyKey}">${of.owner !== null && html`<input type="hidden" name="actingFor" value="${of.owner}">`}${summary(of, idOf)}${content}<button${attributes({ class: tone ?? 'primary' })}>${submit}</button></form>`,
  };
};

/** All problems above the form, those of fields with a link to them. It takes the focus, so that it is read first. */
const summary = ({ sent, reading }: Pick<FormOf<Fields>, 'sent' | 'reading'>, idOf: (name: string) => string): Html | null => {
  if (!sent || sent.problems.length === 0) return null;
  const lines = sent.problems.map(({ field, message }) =>
    field === null ? html`<li>${message}</li>` : html`<li><a href="${url(`#${idOf(field)}`)}">${message}</a></li>`,
  );
  return html`<div class="notice bad problems" role="alert" tabindex="-1" autofocus>${icon('alert')}<div><h2>${reading.texts.kit.problems}</h2><ul>${lines}</ul></div></div>`;
};

interface FieldParts {
  id: string;
  label: string;
  hint: Child;
  problems: readonly Problem[];
  // biome-ignore lint/suspicious/noExplicitAny: a field of any type
  declared: Field<any>;
  control(stateAttributes: Html): Html;
  optional: string;
  required: string;
}

/** Readers of the screen hear of a single control itself that it is required, and of a group nothing. */
const requiredMark = (spoken: string | false): Html =>
  html`<span class="required" aria-hidden="true"> *</span>${spoken !== false && html`<span class="hidden"> (${spoken})</span>`}`;

const wrapField = ({ id, label, hint, problems, declared, control, optional, required }: FieldParts): Html => {
  const { shape, isRequired } = declared;
  if (shape === 'hidden') return control(html``);
  const hasHint = hint !== undefined && hint !== null;
  const described = [hasHint && `${id}-hint`, problems.length > 0 && `${id}-error`].filter(Boolean).join(' ');
  const state = {
    'aria-describedby': described === '' ? undefined : described,
    'aria-invalid': problems.length > 0 ? 'true' : undefined,
  };
  const stateAttributes = attributes({ ...state, required: isRequired && shape === 'control' });
  const name = html`${label}${isRequired ? requiredMark(shape === 'group' && required) : html` <span class="optional">(${optional})</span>`}`;
  const hintText = hasHint && html`<p class="hint" id="${id}-hint">${hint}</p>`;
  const errors =
    problems.length > 0 &&
    html`<p class="error" id="${id}-error">${icon('alert')}<span>${problems.map(({ message }) => message).join('. ')}</span></p>`;
  const kind = problems.length > 0 ? 'field wrong' : 'field';
  if (shape === 'group')
    return html`<fieldset class="${kind}"${attributes(state)}><legend>${name}</legend>${hintText}${errors}${control(html``)}</fieldset>`;
  if (shape === 'box')
    return html`<div class="${kind}"><div class="box">${control(stateAttributes)}<label for="${id}">${label}</label></div>${hintText}${errors}</div>`;
  return html`<div class="${kind}"><label for="${id}">${name}</label>${hintText}${errors}${control(stateAttributes)}</div>`;
};
