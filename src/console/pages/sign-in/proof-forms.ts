import { randomUUID } from 'node:crypto';
import { text } from '../../components/fields.ts';
import { type Fields, type FormView, formView, type Problem, type ValuesOf } from '../../components/form.ts';
import { type Html, html } from '../../html.ts';
import type { PageCall, PendingForm } from '../../page.ts';
import type { Texts } from '../../texts/texts.ts';

/** The code of a mail. */
export const codeField = text({
  label: (texts) => texts.signIn.code,
  required: true,
  autocomplete: 'one-time-code',
  inputMode: 'numeric',
  maxLength: 10,
});

type Call = Pick<PageCall, 'texts' | 'format'>;

interface FormOf<F extends Fields> {
  name: string;
  action: string;
  fields: F;
  values: Partial<ValuesOf<F>>;
  /** Why it is shown again. */
  problem?: Problem | undefined;
}

/** A form of another page than the one that is shown. */
export const formOf = <F extends Fields>({ texts, format }: Call, { values, problem, ...of }: FormOf<F>): FormView<F> => {
  const reading = { texts, format };
  const written = Object.entries(values).map(([name, value]) => [name, of.fields[name]?.write(value, reading) ?? []]);
  const raw = Object.fromEntries(written);
  const sent = problem ? { raw, problems: [problem] } : null;
  return formView({ ...of, sent, idempotencyKey: randomUUID(), owner: null, isAllowed: true, reading }, raw);
};

interface PasskeyFormOf<F extends Fields> extends Omit<FormOf<F>, 'problem'> {
  /** `create` makes a passkey, `get` uses one. */
  kind: 'create' | 'get';
  /** Options of the challenge. */
  options: string;
  submit: string;
  leadsOn?: boolean;
}

/** A form with the field `response`, for which the script asks the device. */
export const passkeyForm = <F extends Fields>(
  call: Call,
  { kind, options, submit, leadsOn = false, ...of }: PasskeyFormOf<F>,
): Html => {
  const { signIn } = call.texts;
  const form = formOf(call, of);
  const ask = html`<div data-passkey="${kind}" data-options="${options}" data-failed="${signIn.passkeyFailed}" role="alert"></div>`;
  return form.render({ submit, leadsOn, content: [...Object.keys(of.fields).map((name) => form.field(name)), ask] });
};

/** Why there is no passkey. Without scripts, the device was not asked. */
export const problemWith = (response: string, { signIn }: Texts): string =>
  response === '' ? signIn.needsScripts : signIn.passkeyFailed;

const isField = (field: unknown): field is readonly [string, string] =>
  Array.isArray(field) && field.length === 2 && field.every((part) => typeof part === 'string');

/** Reads what waits for a fresh check, as forms pass it on; null when we did not write it. */
export const readPending = (text: string): PendingForm | null => {
  try {
    const { action, fields } = JSON.parse(text) as PendingForm;
    return typeof action === 'string' && Array.isArray(fields) && fields.every(isField) ? { action, fields } : null;
  } catch {
    return null;
  }
};
