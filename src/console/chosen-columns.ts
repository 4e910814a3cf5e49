import type { Cookie } from './cookies.ts';
import type { PageCall } from './page.ts';

/** Which columns of which lists a person sees, where they are not the default. */
export type ChosenColumns = ReadonlyMap<string, readonly string[]>;

/** A cookie holds it: a choice of columns is not worth a table, and survives a sign-out on the same browser. */
const NAME = 'columns';
const YEAR_SECONDS = 365 * 24 * 60 * 60;
/** Browsers send it with every request. */
export const MAX_LENGTH = 1_000;
const WORD = /^[a-z][a-zA-Z0-9-]{0,30}$/;

/** Whose choice it is, in few characters: nobody is named by it. */
const markOf = ({ person }: Pick<PageCall, 'person'>): string => person?.personId.replaceAll('-', '').slice(-12) ?? '';

/** Nothing of what somebody else chose, or what nothing here wrote. */
export const readChosenColumns = (call: Pick<PageCall, 'person' | 'request'>): ChosenColumns => {
  const [mark, ...lists] = (call.request.cookie(NAME) ?? '').slice(0, MAX_LENGTH).split('~');
  if (mark !== markOf(call)) return new Map();
  const read = lists.map((text) => text.split('.')).filter((words) => words.every((word) => WORD.test(word)));
  return new Map(read.map(([list = '', ...columns]) => [list, columns]));
};

/** With another choice for one list; null is the default again. The oldest choices go when there are too many. */
export const columnsCookie = (
  call: Pick<PageCall, 'person' | 'request'>,
  list: string,
  columns: readonly string[] | null,
): Readonly<Record<string, Cookie | null>> => {
  const chosen = new Map(readChosenColumns(call));
  chosen.delete(list);
  if (columns)
    chosen.set(
      list,
      columns.filter((column) => WORD.test(column)),
    );
  const texts = [...chosen].map(([name, ids]) => [name, ...ids].join('.'));
  const cookieText = (): string => [markOf(call), ...texts].join('~');
  while (texts.length > 0 && cookieText().length > MAX_LENGTH) texts.shift();
  return { [NAME]: texts.length === 0 ? null : { value: cookieText(), maxAgeSeconds: YEAR_SECONDS } };
};
