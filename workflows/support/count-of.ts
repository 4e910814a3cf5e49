/** `1 conversion`, `2 conversions`; for nouns whose plural ends in s. */
export const countOf = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`;
