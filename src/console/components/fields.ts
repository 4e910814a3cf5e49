import { CURRENCY_CODES, decimalsOf, toDecimal } from '../../contracts/currencies.ts';
import type { Format } from '../format.ts';
import { attributes, type Html, html } from '../html.ts';
import type { Texts } from '../texts/texts.ts';

export type Label = string | ((texts: Texts) => string);

export interface Reading {
  texts: Texts;
  format: Format;
}

/** `problem` completes a sentence that begins with the label, as issues of the API do. */
export type Parsed<T> = { value: T } | { problem: string };

export interface Option {
  value: string;
  label: string;
  hint?: string;
}

export interface Control {
  id: string;
  name: string;
  /** What was sent or is stored: one text, or any number for a group of boxes. */
  raw: readonly string[];
  /** Attributes that the control carries for its description and state. */
  stateAttributes: Html;
  options: readonly Option[];
  texts: Texts;
}

/** Each may be one call of an operation: a form does not keep others from theirs. */
export const MAX_TEXTS = 100;

/** One input of a form. */
export interface Field<T> {
  label: Label;
  hint?: Label | undefined;
  isRequired: boolean;
  /** The name that the API's issues use for it. Default: its own name. */
  path?: string | undefined;
  /** Several controls under one heading, or one with its label behind it. */
  shape: 'control' | 'group' | 'box' | 'hidden';
  options?: readonly Option[] | undefined;
  /** The form is then sent with its files. */
  isFile?: true;
  /** Largest file, where it may be larger than those of other forms. */
  maxFileBytes?: number | undefined;
  /** Texts that it may be sent with. Default: MAX_TEXTS. */
  maxTexts?: number;
  parse(raw: readonly string[], reading: Reading): Parsed<T>;
  write(value: T, reading: Reading): readonly string[];
  control(given: Control): Html;
}

interface Of<R extends boolean> {
  label: Label;
  hint?: Label;
  required?: R;
  path?: string;
}

/** A field that is not required may be empty. */
export type Maybe<T, R extends boolean> = R extends true ? T : T | undefined;

const base = ({ label, hint, required = false, path }: Of<boolean>) => ({ label, hint, path, isRequired: required });
const one = (raw: readonly string[]): string => raw[0]?.trim() ?? '';
const writeText = (value: string | undefined): readonly string[] => [value ?? ''];

interface TextOf<R extends boolean> extends Of<R> {
  type?: 'text' | 'email' | 'url' | 'tel' | 'search' | 'date';
  autocomplete?: string;
  maxLength?: number;
  inputMode?: 'numeric' | 'decimal' | 'email' | 'url';
  placeholder?: string;
}

const inputOf =
  ({ type = 'text', autocomplete = 'off', maxLength, inputMode, placeholder }: Omit<TextOf<boolean>, keyof Of<boolean>>) =>
  ({ id, name, raw, stateAttributes }: Control): Html =>
    html`<input id="${id}" name="${name}" type="${type}" value="${raw[0] ?? ''}"${attributes({ autocomplete, maxlength: maxLength, inputmode: inputMode, placeholder })}${stateAttributes}>`;

/** One line. An empty one is `undefined`, or an empty text if the field is required: the API decides what to say about that. */
export const text = <R extends boolean = false>(of: TextOf<R>): Field<Maybe<string, R>> => ({
  ...base(of),
  shape: 'control',
  parse: (raw) => ({ value: (one(raw) === '' && !of.required ? undefined : one(raw)) as Maybe<string, R> }),
  write: writeText,
  control: inputOf(of),
});

/** A password or key. It is never written into a page: where the form is shown again, it is entered again. */
export const secret = <R extends boolean = false>(of: Of<R>): Field<Maybe<string, R>> => ({
  ...text(of),
  write: () => [],
  control: ({ id, name, stateAttributes }) =>
    html`<input id="${id}" name="${name}" type="password" autocomplete="new-password" spellcheck="false"${stateAttributes}>`,
});

/** A day, as 2026-01-31. */
export const date = <R extends boolean = false>(of: Of<R>): Field<Maybe<string, R>> => text({ ...of, type: 'date' });

/** Several lines. */
export const paragraph = <R extends boolean = false>(of: Of<R> & { rows?: number }): Field<Maybe<string, R>> => ({
  ...text<R>(of),
  // The parser drops one line break at the beginning.
  control: ({ id, name, raw, stateAttributes }) =>
    html`<textarea id="${id}" name="${name}" rows="${of.rows ?? 4}"${stateAttributes}>${'\n'}${raw[0] ?? ''}</textarea>`,
});

/** Where a comma separates decimals, 1.234 may mean a thousand: it is rejected rather than misread by that factor. */
const GROUPED = /^-?\d{1,3}(\.\d{3})+$/;

const numberIn = (typed: string, { format }: Reading): number | null => {
  const { decimalSeparator } = format;
  if (decimalSeparator !== '.' && GROUPED.test(typed)) return null;
  const plain = typed.replace(decimalSeparator, '.');
  return /^-?\d{1,15}(\.\d{1,6})?$/.test(plain) ? Number(plain) : null;
};

export const number = <R extends boolean = false>(of: Of<R> & { decimals?: boolean }): Field<Maybe<number, R>> => ({
  ...base(of),
  shape: 'control',
  parse(raw, reading) {
    if (one(raw) === '' && !of.required) return { value: undefined as Maybe<number, R> };
    const value = numberIn(one(raw), reading);
    return value === null ? { problem: reading.texts.kit.mustBeNumber } : { value: value as Maybe<number, R> };
  },
  write: (value, { format }) => [value === undefined ? '' : String(value).replace('.', format.decimalSeparator)],
  control: inputOf({ inputMode: of.decimals ? 'decimal' : 'numeric' }),
});

/** An amount as people write it, such as 12.50; the value is in minor units. More decimals than the currency has are a problem. */
export const money = <R extends boolean = false>(of: Of<R> & { currency: string }): Field<Maybe<number, R>> => {
  const currency = of.currency.toLowerCase();
  const decimals = decimalsOf(currency);
  const withSeparator = (amountMinor: number, { format }: Reading) =>
    toDecimal(amountMinor, currency).replace('.', format.decimalSeparator);
  return {
    ...base(of),
    shape: 'control',
    parse(raw, reading) {
      if (one(raw) === '' && !of.required) return { value: undefined as Maybe<number, R> };
      const value = numberIn(one(raw), reading);
      const minor = value === null ? Number.NaN : Math.round(value * 10 ** decimals);
      const isExact = value !== null && Number(value.toFixed(decimals)) === value && Number.isSafeInteger(minor);
      if (isExact) return { value: minor as Maybe<number, R> };
      return { problem: reading.texts.kit.mustBeAmount(withSeparator(1250, reading)) };
    },
    write: (value, reading) => [value === undefined ? '' : withSeparator(value, reading)],
    control: (given) =>
      html`<span class="with-unit">${inputOf({ inputMode: 'decimal' })(given)}<span class="unit">${currency.toUpperCase()}</span></span>`,
  };
};

/** Amounts in several currencies, each as `money`: one line for each, and one to add another. None is null. */
export const amounts = (of: Of<false>): Field<Readonly<Record<string, number>> | null> => ({
  ...base(of),
  shape: 'group',
  parse(raw, reading) {
    const found: Record<string, number> = {};
    for (let at = 0; at < raw.length; at += 2) {
      const [currency, amount] = [raw[at]?.trim().toLowerCase() ?? '', raw[at + 1]?.trim() ?? ''];
      if (amount === '') continue;
      if (!CURRENCY_CODES.includes(currency)) return { problem: reading.texts.kit.mustNameCurrency };
      if (Object.hasOwn(found, currency)) return { problem: reading.texts.kit.mustNameCurrencyOnce };
      const parsed = money({ label: of.label, currency, required: true }).parse([amount], reading);
      if ('problem' in parsed) return parsed;
      found[currency] = parsed.value;
    }
    return { value: Object.keys(found).length === 0 ? null : found };
  },
  write: (value, reading) =>
    Object.entries(value ?? {}).flatMap(([currency, amount]) => [
      currency.toUpperCase(),
      ...money({ label: of.label, currency }).write(amount, reading),
    ]),
  control: ({ id, name, raw, texts }) => {
    const lines = Array.from({ length: Math.ceil(raw.length / 2) }, (_, at) => [raw[2 * at], raw[2 * at + 1]]);
    const isComplete = lines.every(([, amount]) => amount !== '');
    return html`${[...lines, ...(isComplete ? [['', '']] : [])].map(
      ([currency = '', amount = ''], at) =>
        html`<span class="with-unit"><input${attributes({ id: at === 0 && id })} name="${name}" value="${currency}" maxlength="3" size="4" autocomplete="off" placeholder="USD" aria-label="${texts.kit.currency}"><input name="${name}" value="${amount}" inputmode="decimal" autocomplete="off" aria-label="${texts.kit.amount}"></span>`,
    )}`;
  },
});

export const checkbox = (of: Omit<Of<false>, 'required'>): Field<boolean> => ({
  ...base({ ...of, required: true }),
  shape: 'box',
  parse: (raw) => ({ value: raw.includes('on') }),
  write: (value) => (value ? ['on'] : []),
  control: ({ id, name, raw, stateAttributes }) =>
    html`<input id="${id}" name="${name}" type="checkbox" value="on"${attributes({ checked: raw.includes('on') })}${stateAttributes}>`,
});

/** Sent along without being shown. */
export const hidden = (): Field<string> => ({
  ...base({ label: '', required: true }),
  shape: 'hidden',
  parse: (raw) => ({ value: one(raw) }),
  write: writeText,
  control: ({ name, raw }) => html`<input type="hidden" name="${name}" value="${raw[0] ?? ''}">`,
});

/** One file, as base64; undefined when none was chosen. Nothing fills it in: it is chosen again where the form is shown again. */
export const file = (of: Omit<Of<false>, 'required'> & { accept: string; maxBytes?: number }): Field<string | undefined> => ({
  ...text(of),
  isFile: true,
  maxFileBytes: of.maxBytes,
  parse([sent = ''], { texts }) {
    if (of.maxBytes !== undefined && sent.length > Math.ceil(of.maxBytes / 3) * 4)
      return { problem: texts.kit.mustBeSmaller(of.maxBytes / 1_048_576) };
    return { value: sent === '' ? undefined : sent };
  },
  write: () => [],
  control: ({ id, name, stateAttributes }) =>
    html`<input id="${id}" name="${name}" type="file" accept="${of.accept}"${stateAttributes}>`,
});
