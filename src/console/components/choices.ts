import { attributes, type Html, html } from '../html.ts';
import type { Control, Field, Label, Maybe, Option, Parsed, Reading } from './fields.ts';

interface ChoiceOf<V extends string, R extends boolean = boolean> {
  label: Label;
  hint?: Label;
  path?: string;
  required?: R;
  /** Left out: they are given where the form is shown, and the API decides what is valid. */
  options?: readonly (Option & { value: V })[];
}

const base = ({ label, hint, path, options, required = false }: ChoiceOf<string>) => ({
  label,
  hint,
  path,
  options,
  isRequired: required,
});

const pickOne =
  <V extends string>({ options, required }: ChoiceOf<V>) =>
  (raw: readonly string[], { texts }: Reading): Parsed<V | undefined> => {
    const [value = ''] = raw;
    if (value === '' && !required) return { value: undefined };
    const isKnown = options ? options.some((option) => option.value === value) : value !== '';
    return isKnown ? { value: value as V } : { problem: texts.kit.mustBeChosen };
  };

const selectControl = ({ id, name, raw, stateAttributes, options, texts }: Control): Html =>
  html`<select id="${id}" name="${name}"${stateAttributes}><option value="">${texts.kit.choose}</option>${options.map(
    ({ value, label }) => html`<option value="${value}"${attributes({ selected: raw.includes(value) })}>${label}</option>`,
  )}</select>`;

const boxesControl =
  (type: 'radio' | 'checkbox') =>
  ({ id, name, raw, options }: Control): Html =>
    html`${options.map(({ value, label, hint }, at) => {
      const boxId = at === 0 ? id : `${id}-${at + 1}`;
      const described = hint === undefined ? undefined : `${boxId}-hint`;
      return html`<div class="box"><input id="${boxId}" name="${name}" type="${type}" value="${value}"${attributes({ checked: raw.includes(value), 'aria-describedby': described })}><label for="${boxId}">${label}</label>${hint !== undefined && html`<p class="hint" id="${boxId}-hint">${hint}</p>`}</div>`;
    })}`;

/** One of a list that opens. */
export const select = <const V extends string = string, R extends boolean = false>(of: ChoiceOf<V, R>): Field<Maybe<V, R>> => ({
  ...base(of),
  shape: 'control',
  parse: pickOne(of) as Field<Maybe<V, R>>['parse'],
  write: (value) => [value ?? ''],
  control: selectControl,
});

/** One of a few that are all shown. */
export const radios = <const V extends string = string, R extends boolean = false>(of: ChoiceOf<V, R>): Field<Maybe<V, R>> => ({
  ...select(of),
  shape: 'group',
  control: boxesControl('radio'),
});

/** Any number of a few that are all shown. */
export const checkboxes = <const V extends string = string>(of: ChoiceOf<V>): Field<V[]> => ({
  ...base(of),
  shape: 'group',
  parse(raw, { texts }) {
    const isKnown = of.options === undefined || raw.every((value) => of.options?.some((option) => option.value === value));
    return isKnown ? { value: raw as V[] } : { problem: texts.kit.mustBeChosen };
  },
  write: (value) => value,
  control: boxesControl('checkbox'),
});
