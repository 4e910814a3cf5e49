import { timingSafeEqual } from 'node:crypto';
import { z } from 'zod';
import type { Context } from '../context.ts';
import { AppError } from '../errors.ts';

/** Where a page ends. */
export interface Position {
  key: string;
  id: string;
}

/** Cursors are signed for one list and one caller, so they cannot be forged or used elsewhere. */
const sign = (ctx: Context, list: string, payload: string): string =>
  ctx.cipher.digest(`${list}\n${ctx.actor.kind === 'key' ? ctx.actor.ownerId : ''}\n${payload}`, 'cursor').slice(0, 32);

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
