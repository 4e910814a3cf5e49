import type { ApplicationSnapshot } from '../../contracts/applications.ts';
import type { Context } from '../../platform/context.ts';
import { firstRow, sql } from '../../platform/database/sql.ts';
import { notFound } from '../../platform/errors.ts';
import { jsonOf } from '../../platform/outbox/outbox.ts';
import { SNAPSHOT } from './application-workflow.ts';

/** What the workflow needs to decide on its next step. */
export const getApplicationSnapshot = async (ctx: Context, applicationId: string): Promise<ApplicationSnapshot> => {
  const row = await firstRow(
    ctx.em,
    sql<{
      snapshot: ApplicationSnapshot;
    }>`select ${jsonOf(SNAPSHOT)} as snapshot from application a where a.id = ${applicationId}::uuid`,
  );
  if (!row) throw notFound('Application');
  return row.snapshot;
};
