import type { PayoutFrequency } from '../../contracts/programs.ts';
import type { Context } from '../../platform/context.ts';
import { execute, firstRow, rows } from '../../platform/database/sql.ts';
import { localTime } from '../../platform/local-time.ts';
import { db } from '../tables.ts';

/** Hour of the day, local time. */
const HOUR = 9;
const UNITS = { weekly: 'week', monthly: 'month', quarterly: 'quarter' } as const satisfies Record<PayoutFrequency, string>;

interface Calendar {
  frequency: PayoutFrequency;
  timeZone: string;
}

/** The first 09:00 of a Monday, a month or a quarter after a time, in the time zone. */
export const nextPayoutTurn = (time: Date, { frequency, timeZone }: Calendar): Date => {
  const unit = UNITS[frequency];
  const start = localTime(time, timeZone).startOf(unit);
  const turns = [start, start.plus({ [unit]: 1 })].map((day) => day.startOf('day').set({ hour: HOUR }).toJSDate());
  return turns.find((turn) => turn > time) ?? time;
};

const FORMATS: Readonly<Record<PayoutFrequency, string>> = { weekly: "kkkk-'W'WW", monthly: 'yyyy-MM', quarterly: "yyyy-'Q'q" };

/** "2026-01", "2026-W05" or "2026-Q1". */
export const payoutPeriodOf = (time: Date, { frequency, timeZone }: Calendar): string =>
  localTime(time, timeZone).toFormat(FORMATS[frequency]);

export interface PayoutTurn {
  programId: string;
  merchantId: string;
  period: string;
  requireConfirmation: boolean;
  /** Who chose that. */
  setBy: string | undefined;
}

/** Programs whose turn to pay has come, the longest wait first. */
export const listDuePayoutTurns = async (ctx: Context, limit: number): Promise<string[]> => {
  const due = await rows(
    ctx.em,
    db
      .selectFrom('program')
      .select('id')
      .where('autoPayoutsAt', '<=', ctx.clock.now().toISOString())
      .orderBy('autoPayoutsAt')
      .limit(limit),
  );
  return due.map(({ id }) => id);
};

/**
 * Takes the turn of a program, in the caller's transaction: the next one is that of its next period. Null when another process has taken
 * it.
 */
export const takePayoutTurn = async (ctx: Context, programId: string): Promise<PayoutTurn | null> => {
  const now = ctx.clock.now();
  const due = await firstRow(
    ctx.em,
    db
      .selectFrom('program as p')
      .innerJoin('merchant as m', 'm.id', 'p.merchantId')
      .select(['p.merchantId', 'p.payoutFrequency as frequency', 'p.autoPayouts', 'm.timezone as timeZone'])
      .where('p.id', '=', programId)
      .where('p.autoPayoutsAt', '<=', now.toISOString())
      .forNoKeyUpdate('p')
      .skipLocked(),
  );
  if (!due) return null;
  await execute(
    ctx.em,
    db
      .updateTable('program')
      .set({ autoPayoutsAt: nextPayoutTurn(now, due).toISOString() })
      .where('id', '=', programId),
  );
  const { merchantId, autoPayouts } = due;
  return {
    programId,
    merchantId,
    period: payoutPeriodOf(now, due),
    requireConfirmation: autoPayouts?.requireConfirmation ?? true,
    setBy: autoPayouts?.setBy,
  };
};
