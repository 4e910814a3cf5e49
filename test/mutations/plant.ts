/** A violation that somebody could write by mistake, or on purpose. */
export interface Plant {
  name: string;
  /** What kind of rule it breaks. */
  breaks: string;
  file: string;
  /** Occurs exactly once in the file. */
  find: string;
  replace: string;
  /** The fastest test file that must fail. */
  test: string;
}

/** As its name, for `npm run mutations -- <word>`. */
export const isNamed = ({ name, breaks, file, test }: Plant, words: readonly string[]): boolean =>
  words.length === 0 || words.some((word) => `${name}\n${breaks}\n${file}\n${test}`.toLowerCase().includes(word.toLowerCase()));

export const occurrencesOf = (text: string, part: string): number => text.split(part).length - 1;

/** The file with the violation. Throws when the text to replace is not there exactly once. */
export const planted = (text: string, { name, file, find, replace }: Plant): string => {
  const found = occurrencesOf(text, find);
  if (found !== 1) throw new Error(`"${name}": its text occurs ${found} times in ${file}, not once`);
  return text.replace(find, () => replace);
};
