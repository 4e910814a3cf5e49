import { timingSafeEqual } from 'node:crypto';
import { z } from 'zod';
import { PAGE_DEFAULT, PAGE_MAX } from '../../contracts/limits.ts';
import { type Context, callerIdOf, findCaller } from '../context.ts';
import { AppError } from '../errors.ts';
import type { Page } from './operation.ts';
import { queryInteger } from './schemas.ts';

/** The three pagination styles. The published client's auto-pager sends `page` and `limit`. */
export const pageQuery = {
  cursor: z
    .string()
    .max(512)
    .optional()
    .describe(
      'The `nextCursor` of the previous page. Default: the first page. Cannot be combined with `page`, `pageSize` or `offset`',
    ),
  limit: queryInteger(1, PAGE_MAX)
    .optional()
    .describe('Maximum number of items. Default: 20. Cannot be combined with `pageSize`'),
  page: queryInteger(1, 1_000_000)
    .optional()
    .describe('Number of the page. Default: 1. Cannot be combined with `cursor` or `offset`'),
  pageSize: queryInteger(1, PAGE_MAX)
    .optional()
    .describe('Items per page. Default: 20. Cannot be combined with `limit`, `cursor` or `offset`'),
  offset: queryInteger(0, 10_000_000)
    .optional()
    .describe('Number of items to skip. Default: 0. Cannot be combined with `cursor`, `page` or `pageSize`'),
};

export interface PageQuery {
  cursor?: string | undefined;
  limit?: number | undefined;
  page?: number | undefined;
  pageSize?: number | undefined;
  offset?: number | undefined;
}

const mixedPagination = (path: string): AppError =>
  new AppError('BAD_REQUEST', 'Use one pagination style: cursor+limit, offset+limit, or page+pageSize', {
    issues: [{ path, code: 'mixed_pagination', message: 'cannot be combined with the other pagination parameters' }],
  });

export const windowOf = (query: PageQuery): { size: number; offset: number } => {
  const { cursor, limit, page, pageSize, offset } = query;
  if (pageSize !== undefined && limit !== undefined) throw mixedPagination('pageSize');
  if (cursor !== undefined && (page ?? pageSize ?? offset) !== undefined) throw mixedPagination('cursor');
  if (offset !== undefined && (page ?? pageSize) !== undefined) throw mixedPagination('offset');
  const size = limit ?? pageSize ?? PAGE_DEFAULT;
  return { size, offset: offset ?? ((page ?? 1) - 1) * size };
};

interface PageOf<Row, Item> {
  size: number;
  page: number;
  total: number;
  most: number;
  toItem(row: Row): Item;
  cursorAfter(row: Row): string;
}

/** Makes a page from rows that are one more than fit, if there are more. */
export const pageOf = <Row, Item>(
  found: readonly Row[],
  { size, page, total, most, toItem, cursorAfter }: PageOf<Row, Item>,
): Page<Item> => {
  const shown = found.slice(0, size);
  const last = shown.at(-1);
  const hasMore = found.length > size;
  return {
    items: shown.map((row) => toItem(row)),
    total: Math.min(total, most),
    totalCapped: total > most,
    page,
    pageSize: size,
    hasMore,
    nextCursor: hasMore && last ? cursorAfter(last) : null,
  };
};

/** Where a page ends. */
export interface Position {
  key: string;
  id: string;
}

/** All keys of an account share their cursors; those of a person are their own. */
const holderOf = ({ actor }: Context): string => {
  const caller = findCaller(actor);
  if (!caller) return '';
  return caller.kind === 'key' ? caller.ownerId : `${callerIdOf(caller)} ${caller.ownerId}`;
};

/** Cursors are signed for one list and one caller, so they cannot be forged or used elsewhere. */
const sign = (ctx: Context, list: string, payload: string): string =>
  ctx.cipher.digest(`${list}\n${holderOf(ctx)}\n${payload}`, 'cursor').slice(0, 32);

export const writeCursor = (ctx: Context, list: string, at: Position): string => {
  const payload = Buffer.from(JSON.stringify([at.key, at.id])).toString('base64url');
  return `${payload}.${sign(ctx, list, payload)}`;
};

/** The 400 of a cursor; `parameter` is the one that it came in. */
export const invalidCursor = (parameter: string, message: string, code = 'invalid_cursor'): AppError =>
  new AppError('BAD_REQUEST', `The cursor ${message}`, { issues: [{ path: parameter, code, message }] });

export const readCursor = (ctx: Context, list: string, cursor: string, parameter = 'cursor'): Position => {
  const [payload = ''] = cursor.split('.');
  const expected = Buffer.from(`${payload}.${sign(ctx, list, payload)}`);
  const given = Buffer.from(cursor);
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) {
    throw invalidCursor(parameter, 'was not issued for this list');
  }
  const [key, id] = z.tuple([z.string(), z.string()]).parse(JSON.parse(Buffer.from(payload, 'base64url').toString()));
  return { key, id };
};
