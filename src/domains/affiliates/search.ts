interface Person {
  name?: string | null | undefined;
  email: string;
}

/** Names sort without regard to case; people without one come first. */
export const sortNameOf = (person: Person): string => (person.name ?? '').toLowerCase();

/** What a search looks through. The line breaks keep it from matching across two of them. */
export const searchTextOf = (code: string, person: Person): string =>
  [code, person.name ?? '', person.email].join('\n').toLowerCase();

/** LIKE pattern over `searchTextOf`: `%`, `_` and the escape itself stand for themselves. */
export const searchPatternOf = (search: string): string => `%${search.toLowerCase().replaceAll(/[\\%_]/g, '\\$&')}%`;
