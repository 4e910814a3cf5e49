import { Readable } from 'node:stream';
import { z } from 'zod';
import type { Scope } from '../../contracts/scopes.ts';
import { after, MINUTE_MS } from '../clock.ts';
import { type Context, callerOf, grantIdOf } from '../context.ts';
import { readToken, signToken } from '../crypto/signed-token.ts';
import { type CsvCell, type CsvNumber, csvHeader, csvLine } from '../csv/csv-line.ts';
import { conflict, forbidden, notFound } from '../errors.ts';
import { timestamp } from './schemas.ts';

const LIFETIME_MS = 10 * MINUTE_MS;
const PURPOSE = 'csv download';

/** Rows of one file. */
export const MAX_CSV_ROWS = 100_000;
export const CSV_PATH = '/files/exports';

/** What a file is made from, such as `all` of a list. */
export interface CsvSource<Item> {
  batches(): AsyncIterable<readonly Item[]>;
  /** Whether there are more items than this. */
  exceeds(max: number): Promise<boolean>;
}

interface Declaration<Item, Filter extends object> {
  /** Name of the file, and in its URL. */
  name: string;
  /** Keys without it can neither create a URL nor keep one usable. */
  scope: Scope;
  /** What the URL carries, as JSON: times are text. */
  filter: z.ZodType<Filter>;
  /** A column is never renamed or moved: new ones are added at the end. Null is an empty cell. */
  columns: Readonly<Record<string, (item: Item) => string | number | boolean | CsvNumber | null>>;
  source(ctx: Context, values: Filter & { merchantId: string }): CsvSource<Item>;
}

/** A list of a merchant as a file that is made while it is downloaded, without its type parameters. */
export interface CsvDownload<Filter = never> {
  name: string;
  scope: Scope;
  header: readonly string[];
  filter: z.ZodType<object>;
  exceeds(ctx: Context, values: Filter & { merchantId: string }, max: number): Promise<boolean>;
  /** Cells of the rows. */
  batches(ctx: Context, values: object, merchantId: string): AsyncIterable<readonly CsvCell[][]>;
}

/** A file with a text of its own, such as one for a bank. */
export interface TextDownload<Filter = never> extends Omit<CsvDownload<Filter>, 'header' | 'batches'> {
  /** Default: CSV. */
  extension?: 'xml';
  text(ctx: Context, values: object, merchantId: string): Promise<string>;
}

type Download<Filter = never> = CsvDownload<Filter> | TextDownload<Filter>;

const toCell = (value: string | number | boolean | CsvNumber | null): CsvCell =>
  typeof value === 'object' && value !== null ? value : String(value ?? '');

/** Declares one file; the table in `src/api/csv-downloads.ts` serves it. */
export const csvDownload = <Item, Filter extends object>(of: Declaration<Item, Filter>): CsvDownload<Filter> => ({
  name: of.name,
  scope: of.scope,
  header: Object.keys(of.columns),
  filter: of.filter,
  exceeds: (ctx, values, max) => of.source(ctx, values).exceeds(max),
  async *batches(ctx, filter, merchantId) {
    const cells = Object.values(of.columns);
    for await (const items of of.source(ctx, { ...of.filter.parse(filter), merchantId }).batches())
      yield items.map((item) => cells.map((cellOf) => toCell(cellOf(item))));
  },
});

export const csvUrlSchema = z
  .object({
    url: z.url().describe('URL of the CSV file. Whoever has it can use it until it expires'),
    expiresAt: timestamp.describe('When the URL stops working, ten minutes after it was created'),
  })
  .meta({ id: 'CsvUrl' });

export type CsvUrl = z.input<typeof csvUrlSchema>;

const tokenSchema = z.tuple([z.string(), z.uuid(), z.uuid(), z.number(), z.record(z.string(), z.unknown())]);

/** A URL for the merchant of the calling key. EXPORT_TOO_LARGE for a file that would not be whole. */
export const createCsvUrl = async <Filter extends object>(
  ctx: Context,
  download: Download<Filter>,
  filter: Filter,
): Promise<CsvUrl> => {
  const caller = callerOf(ctx);
  const { ownerId: merchantId } = caller;
  if (await download.exceeds(ctx, { ...filter, merchantId }, MAX_CSV_ROWS)) {
    const message = `A file holds at most ${MAX_CSV_ROWS} rows. Narrow the period or another filter`;
    throw conflict('EXPORT_TOO_LARGE', message, { limit: MAX_CSV_ROWS });
  }
  const expiresAt = after(ctx.clock.now(), LIFETIME_MS);
  const token = signToken(
    ctx.cipher,
    PURPOSE,
    JSON.stringify([download.name, merchantId, grantIdOf(caller), expiresAt.getTime(), filter]),
  );
  return {
    url: `${ctx.settings.publicUrl}${CSV_PATH}/${fileNameOf(download)}?token=${token}`,
    expiresAt: expiresAt.toISOString(),
  };
};

const TYPES = { csv: 'text/csv; charset=utf-8; header=present', xml: 'application/xml; charset=utf-8' } as const;

const extensionOf = (download: Download): keyof typeof TYPES => ('extension' in download && download.extension) || 'csv';

const fileNameOf = (download: Download, day = ''): string => `${download.name}${day}.${extensionOf(download)}`;

export interface OpenedCsv {
  merchantId: string;
  /** The key or the role that created the URL. */
  grantId: string;
  fileName: string;
  /** Media type. */
  type: string;
  scope: Scope;
  /** Rows are read while the receiver takes them. */
  open(): Promise<Readable>;
}

/** What a URL names. NOT_FOUND for any other text, FORBIDDEN after it has expired. */
export const openCsv = (ctx: Context, downloads: readonly Download[], given: { name: string; token: string }): OpenedCsv => {
  const text = readToken(ctx.cipher, PURPOSE, given.token);
  const [name, merchantId, grantId, expiresAtMs, filter] = text === null ? [] : tokenSchema.parse(JSON.parse(text));
  const download = downloads.find((download) => download.name === name);
  if (!download || !merchantId || !grantId || given.name !== fileNameOf(download)) throw notFound('Export');
  const now = ctx.clock.now();
  if (!expiresAtMs || expiresAtMs < now.getTime()) throw forbidden('The URL has expired. Create another one');
  return {
    merchantId,
    grantId,
    fileName: fileNameOf(download, `-${now.toISOString().slice(0, 10)}`),
    type: TYPES[extensionOf(download)],
    scope: download.scope,
    open: async () => Readable.from(await textOf(ctx, download, { filter: filter ?? {}, merchantId }), { objectMode: false }),
  };
};

const textOf = async (
  ctx: Context,
  download: Download,
  of: { filter: object; merchantId: string },
): Promise<AsyncIterable<string> | string[]> =>
  'text' in download ? [await download.text(ctx, of.filter, of.merchantId)] : csvLines(ctx, download, of);

/** The text of a file. One that grew beyond the limit breaks off: half of a file must not look like a whole one. */
export async function* csvLines(
  ctx: Context,
  download: CsvDownload,
  of: { filter: object; merchantId: string },
  maxRows = MAX_CSV_ROWS,
): AsyncGenerator<string> {
  yield csvHeader(download.header);
  let written = 0;
  for await (const rows of download.batches(ctx, of.filter, of.merchantId)) {
    written += rows.length;
    if (written > maxRows) throw new Error(`The file ${download.name} has more than ${maxRows} rows`);
    if (rows.length > 0) yield rows.map(csvLine).join('');
  }
}
