import type { Context } from '../../platform/context.ts';
import { firstRow } from '../../platform/database/sql.ts';
import { invalidField } from '../../platform/errors.ts';
import { db } from '../tables.ts';
import { localDay } from './local-day.queries.ts';
import { isTargetDay, targetDayFrom } from './target-days.rules.ts';

/** How far ahead a bank takes a day. */
const MAX_DAYS_AHEAD = 180;
const DAY_MS = 86_400_000;

interface DayInput {
  runId?: string | undefined;
  executionDate?: string | undefined;
}

/** The day on which a file is executed: as asked for, else that of its run, else the next one on which banks settle. Throws VALIDATION_ERROR. */
export const executionDayOf = async (ctx: Context, merchantId: string, { runId, executionDate }: DayInput): Promise<string> => {
  const today = await localDay(ctx, merchantId);
  const ofRun = runId === undefined ? undefined : await dayOfRun(ctx, runId);
  if (executionDate === undefined) return targetDayFrom(ofRun && ofRun > today ? ofRun : today);
  if (executionDate < today) throw invalidField('executionDate', 'is in the past');
  if (Date.parse(executionDate) - Date.parse(today) > MAX_DAYS_AHEAD * DAY_MS)
    throw invalidField('executionDate', `is more than ${MAX_DAYS_AHEAD} days ahead`);
  if (!isTargetDay(executionDate))
    throw invalidField('executionDate', `is a day on which banks do not settle; the next one is ${targetDayFrom(executionDate)}`);
  return executionDate;
};

const dayOfRun = async (ctx: Context, runId: string): Promise<string | null> => {
  const run = db.selectFrom('payout_run').select('executionDate').where('id', '=', runId);
  return (await firstRow(ctx.em, run))?.executionDate ?? null;
};
