/** The part of the driver's table of parsers that is used here; the driver has no types. */
interface TypeParsers {
  getTypeParser(oid: number, format?: string): (text: string) => unknown;
}

const INT8 = 20;
const NUMERIC = 1700;
const INT8_ARRAY = 1016;
const NUMERIC_ARRAY = 1231;
const TEXT_ARRAY = 1009;

/** A number of which every digit before the point is kept; the digits after it are rounded as `float8` rounds them. */
export const parseNumber = (text: string): number => {
  const value = Number(text);
  if (!(Math.abs(value) <= Number.MAX_SAFE_INTEGER)) throw new RangeError(`${text} is not a safe number`);
  return value;
};

/**
 * Whole and decimal numbers arrive as numbers instead of text, as entities declare them. Times stay text, with the microseconds
 * that a date would lose.
 */
export const withNumbers = (parsers: TypeParsers): TypeParsers => ({
  getTypeParser(oid, format) {
    if (format === 'binary') return parsers.getTypeParser(oid, format);
    if (oid === INT8 || oid === NUMERIC) return parseNumber;
    if (oid !== INT8_ARRAY && oid !== NUMERIC_ARRAY) return parsers.getTypeParser(oid, format);
    const parseList = parsers.getTypeParser(TEXT_ARRAY, format);
    return (text) => (parseList(text) as (string | null)[]).map((item) => (item === null ? null : parseNumber(item)));
  },
});
