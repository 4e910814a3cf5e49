const MAX_NAME_LENGTH = 40;

/** The name followed by the random end of the program's id: readable, and unique without a query. */
export const slugOf = (name: string, id: string): string => {
  const words = name
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/\p{M}/gu, '')
    .replaceAll(/[^a-z0-9]+/g, '-')
    .slice(0, MAX_NAME_LENGTH)
    .split('-')
    .filter((word) => word !== '')
    .join('-');
  return `${words || 'program'}-${id.slice(-8)}`;
};
