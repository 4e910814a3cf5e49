import { DateTime } from 'luxon';
import type { StoredStatement } from './import-report.rules.ts';

/** A statement that could leave a year out is no proof of its days. */
const MAX_DAYS = 366;

type Numbered = StoredStatement & { sequence: number };

const isNumbered = (statement: StoredStatement): statement is Numbered => statement.sequence !== null;

/** The next statement goes on where this one ended: nothing was booked between them. */
const joins = (before: Numbered, after: Numbered): boolean =>
  after.sequence === before.sequence + 1 &&
  before.closing !== null &&
  after.opening !== null &&
  before.closing.amountMinor === after.opening.amountMinor &&
  before.closing.currency === after.opening.currency;

const daysFrom = (from: string, to: string): string[] => {
  const days: string[] = [];
  const end = DateTime.fromISO(to, { zone: 'utc' });
  for (let day = DateTime.fromISO(from, { zone: 'utc' }); day <= end && days.length < MAX_DAYS; day = day.plus({ days: 1 }))
    days.push(day.toFormat('yyyy-MM-dd'));
  return days;
};

/**
 * Days of which everything that was booked on an account is known: those of statements that have a number and both balances and join
 * another one. A statement alone proves nothing, since it may be a part of its day.
 */
export const completeDaysOf = (statements: readonly StoredStatement[]): string[] => {
  const sorted = statements.filter(isNumbered).sort((a, b) => a.sequence - b.sequence);
  const days = new Set<string>();
  for (const [at, statement] of sorted.entries()) {
    const [before, after] = [sorted[at - 1], sorted[at + 1]];
    const isJoined = (before && joins(before, statement)) || (after && joins(statement, after));
    const { from, to } = statement;
    if (!isJoined || to === null) continue;
    // Between two that join, nothing was booked.
    const since = before && joins(before, statement) ? (before.to ?? from) : from;
    for (const day of daysFrom(since ?? to, to)) days.add(day);
  }
  return [...days].sort();
};
