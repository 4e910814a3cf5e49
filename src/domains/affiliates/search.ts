interface Person {
  name?: string | null | undefined;
  email: string;
}

/** Sorts names case-insensitively; people without a name come first. */
export const sortNameOf = (person: Person): string => (person.name ?? '').toLowerCase();

/** The text that a search matches. Line breaks prevent matches across two fields. */
export const searchTextOf = (code: string, person: Person): string =>
  [code, person.name ?? '', person.email].join('\n').toLowerCase();

/** LIKE pattern over `searchTextOf`; `%`, `_` and `\\` in the search are escaped. */
export const searchPatternOf = (search: string): string => `%${search.toLowerCase().replaceAll(/[\\%_]/g, '\\$&')}%`;
