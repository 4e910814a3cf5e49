import { queryBuilder } from '../platform/database/query-builder.ts';
import type { Table } from '../platform/database/table.ts';
import type { ENTITIES } from './entities.ts';

/** All tables by their names, with the properties of their entities as columns. */
export type Tables = { [Name in keyof typeof ENTITIES]: Table<(typeof ENTITIES)[Name]> };

/** Builds statements on the tables of all domains; `rows`, `firstRow` and `execute` run them. */
export const db = queryBuilder<Tables>();
