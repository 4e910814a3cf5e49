import { randomUUID } from 'node:crypto';
import { TRANSIENT_REASONS } from '../contracts/error-codes.ts';
import type { Issue } from '../platform/errors.ts';
import { MAX_TEXTS, type Reading } from './components/fields.ts';
import { type Fields, labelOf, type Problem, type Raw } from './components/form.ts';
import type { Page } from './page.ts';
import type { OperationFailed } from './page-call.ts';

export interface SentForm {
  name: string;
  raw: Raw;
  idempotencyKey: string;
  /** Whom the page was opened for; null where it does not say. */
  owner: string | null;
}

const KEY = /^[\w-]{16,64}$/;

const listOf = (value: unknown): readonly string[] =>
  value === undefined ? [] : Array.isArray(value) ? value.map(String) : [String(value)];

/** Which form of a page was sent; null when the page has no such form. One without a name is the only one. */
export const readSentForm = ({ forms }: Pick<Page, 'forms'>, body: unknown): SentForm | null => {
  const sent = (body ?? {}) as Readonly<Record<string, unknown>>;
  const names = Object.keys(forms);
  const name = listOf(sent['sentForm'])[0] ?? (names.length === 1 ? names[0] : undefined);
  const fields = name === undefined || !Object.hasOwn(forms, name) ? undefined : forms[name]?.fields;
  if (name === undefined || fields === undefined) return null;
  const [key = ''] = listOf(sent['idempotencyKey']);
  const [owner = null] = listOf(sent['actingFor']);
  return {
    name,
    raw: Object.fromEntries(Object.keys(fields).map((field) => [field, listOf(sent[field])])),
    // Without one of its own, a form has no effect twice only as far as its operations see to that.
    idempotencyKey: KEY.test(key) ? key : randomUUID(),
    owner,
  };
};

export type Read = { values: Record<string, unknown>; problems: readonly [] } | { values: null; problems: readonly Problem[] };

/** The values of a form, or what is wrong with their form. What they mean is for the API to judge. */
export const readValues = (fields: Fields, raw: Raw, reading: Reading): Read => {
  const values: Record<string, unknown> = {};
  const problems: Problem[] = [];
  for (const [name, field] of Object.entries(fields)) {
    const texts = raw[name] ?? [];
    const most = field.maxTexts ?? MAX_TEXTS;
    const parsed = texts.length > most ? { problem: reading.texts.kit.mostAtATime(most) } : field.parse(texts, reading);
    if ('value' in parsed) values[name] = parsed.value;
    else problems.push(problemOf(name, field, parsed.problem, reading));
  }
  if (problems.length === 0) return { values, problems: [] };
  // The API is not asked: what it would say about empty fields is said at once.
  for (const [name, field] of Object.entries(fields))
    if (field.isRequired && values[name] === '' && field.shape !== 'hidden')
      problems.push(problemOf(name, field, reading.texts.kit.issue('must not be empty'), reading));
  return { values: null, problems: inOrder(problems, fields) };
};

const problemOf = (name: string, { label }: Fields[string], problem: string, reading: Reading): Problem => ({
  field: name,
  message: `${labelOf(label, reading)} ${problem}`,
});

/** As the fields stand on the page. */
const inOrder = (problems: readonly Problem[], fields: Fields): Problem[] => {
  const names = Object.keys(fields);
  return problems.toSorted((a, b) => names.indexOf(a.field ?? '') - names.indexOf(b.field ?? ''));
};

const issuesOf = ({ details }: OperationFailed['error']): readonly Issue[] =>
  Array.isArray(details?.['issues']) ? (details['issues'] as Issue[]) : [];

/** The errors of an operation, in the words of the page where it has some and else in its own, each beside the field that it names. */
export const problemsOf = (
  { error }: OperationFailed,
  fields: Fields,
  { wordsFor, ...reading }: Reading & { wordsFor?: ((reason: string) => string | null) | null },
): readonly Problem[] => {
  const { texts } = reading;
  if (error.code === 'IDEMPOTENCY_KEY_REUSED') return [{ field: null, message: texts.kit.alreadySent }];
  const issues = issuesOf(error);
  const reason = String(error.details?.['reason']);
  if (issues.length === 0) return [{ field: null, message: wordsFor?.(reason) ?? error.message }];
  const found = issues.map(({ path, message }) => {
    const said = texts.kit.issue(message);
    const named = Object.entries(fields).find(([name, field]) => {
      const own = field.path ?? name;
      return path === own || path.startsWith(`${own}.`);
    });
    return named ? problemOf(named[0], named[1], said, reading) : { field: null, message: `${path} ${said}` };
  });
  return inOrder(found, fields);
};

/** While the first sending may still take effect, the next one must be the same request. */
export const keyAfter = ({ error }: OperationFailed, { idempotencyKey }: SentForm): string =>
  TRANSIENT_REASONS.some((reason) => reason === error.details?.['reason']) ? idempotencyKey : randomUUID();
