import type { PageCall } from './page.ts';

/** These parameters of the address as the query of an operation, which checks them. A filter that was left empty is none. */
export const queryOf = <const Name extends string>(
  { query }: Pick<PageCall, 'query'>,
  names: readonly Name[],
): Partial<Record<Name, never>> =>
  Object.fromEntries(names.flatMap((name) => (query[name] ? [[name, query[name]]] : []))) as Partial<Record<Name, never>>;
