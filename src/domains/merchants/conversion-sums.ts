import { ALL_PROGRAMS } from '../../contracts/programs.ts';
import { DAY_MS, MINUTE_MS } from '../../platform/clock.ts';
import { allOf, type RawBuilder, sql } from '../../platform/database/sql.ts';

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
export const SUMS_OF_ROW = sql`cross join lateral (values (c.program_id), (${ALL_PROGRAMS}::uuid)) as place (id)
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

/**
 * Conversions that were created in a period, as rows of `currency`, `status`, `conversions`, `revenue`, `commission` and `unapproved` to
 * add up. Exact: what is not added up yet, and what is less than a quarter of an hour from an end, is read row by row. A period
 * begins at most 90 days ago, and before it ends.
 */
export const conversionSums = ({ period, ...of }: SummedConversions): RawBuilder<unknown> => {
  if (period === null) return unionOf([sumsOf(of, sql`span = 'all'`), changesOf(of, undefined)]);
  const pieces = piecesOf(period.from.getTime(), period.to?.getTime() ?? Number.POSITIVE_INFINITY);
  const summed = pieces.filter(({ span }) => span !== null);
  const [first, last] = [summed[0], summed.at(-1)];
  const changed = first && last ? [changesOf(of, { fromMs: first.fromMs, toMs: last.toMs })] : [];
  return unionOf([...pieces.map((piece) => readPiece(of, piece)), ...changed]);
};

type Owner = Omit<SummedConversions, 'period'>;
type Ends = Omit<Piece, 'span'>;

const unionOf = (parts: readonly RawBuilder<unknown>[]) => sql`(${sql.join(parts, sql` union all `)})`;

const time = (ms: number): string => (Number.isFinite(ms) ? new Date(ms).toISOString() : 'infinity');

const within = (column: 'created_at' | 'starts_at', { fromMs, toMs }: Ends): RawBuilder<unknown> =>
  sql`${sql.ref(column)} >= ${time(fromMs)}::timestamptz and ${sql.ref(column)} < ${time(toMs)}::timestamptz`;

const readPiece = (of: Owner, { span, ...ends }: Piece): RawBuilder<unknown> =>
  span === null ? conversionsOf(of, ends) : sumsOf(of, sql`span = ${span} and ${within('starts_at', ends)}`);

const FIGURES = sql`currency, status, conversions, revenue, commission, unapproved`;

const sumsOf = ({ merchantId, programId = ALL_PROGRAMS }: Owner, condition: RawBuilder<unknown>): RawBuilder<unknown> =>
  sql`select ${FIGURES} from conversion_sum
    where merchant_id = ${merchantId}::uuid and program_id = ${programId}::uuid and ${condition}`;

const ownedBy = ({ merchantId, programId }: Owner): RawBuilder<unknown> =>
  allOf([sql`merchant_id = ${merchantId}::uuid`, programId === undefined ? undefined : sql`program_id = ${programId}::uuid`]);

const changesOf = (of: Owner, ends: Ends | undefined): RawBuilder<unknown> =>
  sql`select ${FIGURES} from conversion_change where ${allOf([ownedBy(of), ends && within('created_at', ends)])}`;

const conversionsOf = (of: Owner, ends: Ends): RawBuilder<unknown> =>
  sql`select currency, status, 1::bigint as conversions, (amount - refunded)::numeric as revenue, commission::numeric as commission,
      case when approved_at is null then commission else 0 end::numeric as unapproved
    from conversion where ${ownedBy(of)} and ${within('created_at', ends)}`;
