import type { AccountField } from '../../../../contracts/rail-accounts.ts';
import { radios } from '../../../components/choices.ts';
import { amounts, checkbox, type Field, number, secret, text } from '../../../components/fields.ts';

// biome-ignore lint/suspicious/noExplicitAny: fields of any type
type AccountFields = Readonly<Record<string, Field<any>>>;
type Values = Readonly<Record<string, unknown>>;

/** The longest text that an account takes. */
const MAX_TEXT = 5_000;

const controlOf = ({ name, label, hint, kind, isRequired, options = [] }: AccountField): AccountFields[string] => {
  const of = { label, path: name, required: isRequired, ...(hint !== null && { hint }) };
  switch (kind) {
    case 'secret':
      return secret(of);
    case 'choice':
      return radios({ ...of, options });
    case 'number':
      return number(of);
    case 'switch':
      return checkbox(of);
    case 'amounts':
      return amounts({ ...of, required: false });
    case 'text':
      return text({ ...of, maxLength: MAX_TEXT });
  }
};

/** A dot is not for names of controls. */
const controlName = ({ name }: AccountField): string => name.replace('.', '_');

export const accountFields = (form: readonly AccountField[]): AccountFields =>
  Object.fromEntries(form.map((field) => [controlName(field), controlOf(field)]));

/** Place of a field in its object, if its name has a dot: `debtorAddress.town`. */
const partsOf = ({ name }: AccountField): [object: string, part: string | undefined] => {
  const [object = name, part] = name.split('.');
  return [object, part];
};

/** What was entered, as operations take it; undefined and null: nothing. */
const entered = (form: readonly AccountField[], values: Values): Map<string, unknown> => {
  const body = new Map<string, unknown>();
  for (const field of form) {
    const value = values[controlName(field)] ?? null;
    const [object, part] = partsOf(field);
    const known = body.get(object) ?? null;
    if (part === undefined) body.set(object, value);
    else body.set(object, value === null ? known : { ...(known as object | null), [part]: value });
  }
  return body;
};

type Part = string | number | boolean;
type Entered = Part | Record<string, Part>;

/** A whole account: what was left empty is not sent. */
export const accountBody = (form: readonly AccountField[], values: Values): Record<string, Entered> =>
  Object.fromEntries([...entered(form, values)].filter(([, value]) => value !== null)) as Record<string, Entered>;

/** Changes of an account: what was left empty is cleared. */
export const accountChanges = (form: readonly AccountField[], values: Values): Record<string, Entered | null> =>
  Object.fromEntries(entered(form, values)) as Record<string, Entered | null>;

/** The fields filled with the settings of an account. */
export const filledWith = (form: readonly AccountField[], settings: Values): Values => {
  const values = form.map((field) => {
    const [object, part] = partsOf(field);
    const value = settings[object];
    return [controlName(field), part === undefined ? value : (value as Values | undefined)?.[part]] as const;
  });
  return Object.fromEntries(values.filter(([, value]) => value !== undefined));
};

/** The fields filled with what most people choose. */
export const filledByDefault = (form: readonly AccountField[]): Values =>
  Object.fromEntries(form.flatMap((field) => (field.options?.[0] ? [[controlName(field), field.options[0].value]] : [])));

/** A value of the settings, for people; null: it has none. */
export const settingText = ({ kind, options = [], ...field }: AccountField, settings: Values): string | null => {
  const [object, part] = partsOf({ kind, ...field });
  const whole = settings[object];
  const value = part === undefined ? whole : (whole as Values | undefined)?.[part];
  if (value === undefined || value === null || kind === 'secret') return null;
  if (kind === 'switch') return value === true ? 'Yes' : 'No';
  return options.find((option) => option.value === value)?.label ?? String(value);
};
