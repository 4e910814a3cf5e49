import type { EntityClass, EntityData } from '@mikro-orm/core';
import type { Context } from '../context.ts';
import { firstRow, type RawBuilder, sql } from './sql.ts';

/**
 * A row as it is stored now, as an entity that is locked until the transaction ends; null without one. The ORM's own lock is stronger:
 * it would wait for the foreign keys of other transactions to the row.
 */
export const lockRow = async <Entity extends object>(
  { em }: Context,
  entity: EntityClass<Entity>,
  condition: RawBuilder<unknown>,
): Promise<Entity | null> => {
  const table = sql.table(em.getMetadata().get(entity).tableName);
  const row = await firstRow(em, sql<EntityData<Entity>>`select * from ${table} where ${condition} for no key update`);
  return row && em.map(entity, row);
};
