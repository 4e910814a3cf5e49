import { ALL_PROGRAMS } from '../../contracts/programs.ts';
import { DAY_MS, MINUTE_MS } from '../../platform/clock.ts';
import { sql } from '../../platform/database/sql.ts';
import { invariant } from '../../platform/errors.ts';
import { db } from '../tables.ts';

export interface SummedPeriod {
  from: Date;
  /** Not included. Null: no end. */
  to: Date | null;
}

/** In UTC, the longest first. The shorter are kept for 100 days. */
const SPANS = [
  { name: 'day', ms: DAY_MS },
  { name: 'quarter', ms: 15 * MINUTE_MS },
] as const;

/** The sums that a row `c` of `merchant_id`, `program_id` and `created_at` belongs to: `place.id` is the program, `piece` the time. */
export const sumsOfRow = sql`cross join lateral (values (c.program_id), (${ALL_PROGRAMS}::uuid)) as place (id)
  cross join lateral (values ('all', '-infinity'::timestamptz), ('day', date_trunc('day', c.created_at, 'UTC')),
    ('quarter', date_bin('15 minutes', c.created_at, '2000-01-01T00:00:00Z'))) as piece (span, starts_at)`;

interface Piece {
  /** Null: too short for a sum. */
  span: (typeof SPANS)[number]['name'] | null;
  fromMs: number;
  toMs: number;
}

/** Whole days, the quarters of an hour before and after them, and what is left at both ends. */
const piecesOf = (fromMs: number, toMs: number, [span, ...shorter]: readonly (typeof SPANS)[number][] = SPANS): Piece[] => {
  if (fromMs >= toMs) return [];
  if (!span) return [{ span: null, fromMs, toMs }];
  const first = Math.ceil(fromMs / span.ms) * span.ms;
  const last = Math.floor(toMs / span.ms) * span.ms;
  if (first >= last) return piecesOf(fromMs, toMs, shorter);
  return [...piecesOf(fromMs, first, shorter), { span: span.name, fromMs: first, toMs: last }, ...piecesOf(last, toMs, shorter)];
};

export interface SummedConversions {
  merchantId: string;
  /** Undefined: all of the merchant. */
  programId?: string | undefined;
  /** Null: of all time. */
  period: SummedPeriod | null;
}

type Owner = Omit<SummedConversions, 'period'>;
type Ends = Omit<Piece, 'span'>;

/** What is added up. */
const FIGURES = ['currency', 'status', 'conversions', 'revenue', 'commission', 'unapproved'] as const;

/**
 * Conversions that were created in a period, as rows of `FIGURES` to add up. Exact: what is not added up yet, and what is less than a
 * quarter of an hour from an end, is read row by row. A period begins at most 90 days ago, and before it ends.
 */
export const conversionSums = ({ period, ...of }: SummedConversions) => {
  if (period === null) return changesOf(of, undefined).unionAll(sumsOf(of).where('span', '=', 'all'));
  const pieces = piecesOf(period.from.getTime(), period.to?.getTime() ?? Number.POSITIVE_INFINITY);
  const summed = pieces.filter(({ span }) => span !== null);
  const [first, last] = [summed[0], summed.at(-1)];
  const changed = first && last ? [changesOf(of, { fromMs: first.fromMs, toMs: last.toMs })] : [];
  const [part, ...parts] = [...pieces.map((piece) => readPiece(of, piece)), ...changed];
  invariant(part, 'a period begins before it ends');
  return parts.reduce((union, part) => union.unionAll(part), part);
};

const time = (ms: number): string => (Number.isFinite(ms) ? new Date(ms).toISOString() : 'infinity');

const readPiece = (of: Owner, { span, fromMs, toMs }: Piece) =>
  span === null
    ? conversionsOf(of, { fromMs, toMs })
    : sumsOf(of).where('span', '=', span).where('startsAt', '>=', time(fromMs)).where('startsAt', '<', time(toMs));

const sumsOf = ({ merchantId, programId = ALL_PROGRAMS }: Owner) =>
  db.selectFrom('conversion_sum').select(FIGURES).where('merchantId', '=', merchantId).where('programId', '=', programId);

const changesOf = ({ merchantId, programId }: Owner, ends: Ends | undefined) => {
  let query = db.selectFrom('conversion_change').select(FIGURES).where('merchantId', '=', merchantId);
  if (programId !== undefined) query = query.where('programId', '=', programId);
  return ends ? query.where('createdAt', '>=', time(ends.fromMs)).where('createdAt', '<', time(ends.toMs)) : query;
};

const conversionsOf = ({ merchantId, programId }: Owner, { fromMs, toMs }: Ends) => {
  const query = db
    .selectFrom('conversion')
    .select(({ eb, ref }) => [
      'currency',
      'status',
      sql.lit(1).as('conversions'),
      eb('amount', '-', ref('refunded')).as('revenue'),
      'commission',
      eb.case().when('approvedAt', 'is', null).then(ref('commission')).else(sql.lit(0)).end().as('unapproved'),
    ])
    .where('merchantId', '=', merchantId)
    .where('createdAt', '>=', time(fromMs))
    .where('createdAt', '<', time(toMs));
  return programId === undefined ? query : query.where('programId', '=', programId);
};
