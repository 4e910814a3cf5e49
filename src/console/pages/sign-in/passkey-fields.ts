import { randomUUID } from 'node:crypto';
import type { Fields } from '../../components/form.ts';
import { type FormView, formView, type Problem } from '../../components/form.ts';
import { type Html, html } from '../../html.ts';
import type { PageCall, PendingForm } from '../../page.ts';
import type { Texts } from '../../texts/texts.ts';

/** Where the script asks the device, in a form with the field `response`: `create` makes a passkey, `get` uses one. */
export const askDevice = (kind: 'create' | 'get', options: string, { signIn }: Texts): Html =>
  html`<div data-passkey="${kind}" data-options="${options}" data-failed="${signIn.passkeyFailed}" role="alert"></div>`;

/** Why there is no passkey. Without scripts, the device was not asked. */
export const problemWith = (response: string, { signIn }: Texts): string =>
  response === '' ? signIn.needsScripts : signIn.passkeyFailed;

/** A form of another page than the one that is shown. */
export const formOf = <F extends Fields>(
  { texts, format }: Pick<PageCall, 'texts' | 'format'>,
  of: { name: string; action: string; fields: F; problems?: readonly Problem[]; raw?: Record<string, string[]> },
): FormView<F> =>
  formView({
    ...of,
    sent: of.problems ? { raw: of.raw ?? {}, problems: of.problems } : null,
    idempotencyKey: randomUUID(),
    isAllowed: true,
    reading: { texts, format },
  });

const isField = (field: unknown): field is readonly [string, string] =>
  Array.isArray(field) && field.length === 2 && field.every((part) => typeof part === 'string');

/** What waits for a fresh check, as it is carried from form to form; null when it was not written by us. */
export const readPending = (text: string): PendingForm | null => {
  try {
    const { action, fields } = JSON.parse(text) as PendingForm;
    return typeof action === 'string' && Array.isArray(fields) && fields.every(isField) ? { action, fields } : null;
  } catch {
    return null;
  }
};
