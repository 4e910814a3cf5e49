const LONGEST_NAME_PART = 40;

/** Readable and unique without a look-up: the name, and the random end of the program's id. */
export const slugOf = (name: string, id: string): string => {
  const words = name
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/\p{M}/gu, '')
    .replaceAll(/[^a-z0-9]+/g, '-')
    .slice(0, LONGEST_NAME_PART)
    .replaceAll(/^-+|-+$/g, '');
  return `${words || 'program'}-${id.slice(-8)}`;
};
