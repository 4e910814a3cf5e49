import type { ProgramStatus } from '../../contracts/programs.ts';
import type { Context } from '../../platform/context.ts';
import { compileOnce, type Given } from '../../platform/database/compiled.ts';
import { firstRow, sql } from '../../platform/database/sql.ts';
import { anyOf } from '../../platform/database/table.ts';
import { db } from '../tables.ts';
import { clickIdOf, timeOfClick } from './click-token.rules.ts';

/** A stored click, as evidence of a sale. */
export interface ClickRecord {
  id: string;
  affiliateId: string;
  /** Null for the affiliate's own code. */
  linkId: string | null;
  code: string;
  at: Date;
}

const clickById = compileOnce(({ id, programId }: Given<{ id: string; programId: string }>) =>
  db.selectFrom('click').select(['id', 'affiliateId', 'linkId', 'code']).where('id', '=', id).where('programId', '=', programId),
);

/**
 * Null for a malformed or unknown token, a click of another program, and one past its retention period. Whether the click is
 * inside the cookie window is left to the caller.
 */
export const findClick = async (ctx: Context, programId: string, token: string): Promise<ClickRecord | null> => {
  const id = clickIdOf(token);
  if (id === null) return null;
  const row = await firstRow(ctx.em, clickById({ id, programId }));
  return row && { ...row, at: timeOfClick(id) };
};

/** The program of the click with a token, if it is one of these; null as `findClick`. */
export const findClickProgram = async (ctx: Context, programIds: readonly string[], token: string): Promise<string | null> => {
  const id = clickIdOf(token);
  if (id === null) return null;
  const click = db.selectFrom('click').select('programId').where('id', '=', id).where('programId', '=', anyOf(programIds));
  return (await firstRow(ctx.em, click))?.programId ?? null;
};

const MAX_LABELS = 10;

const activeProgram = compileOnce(({ domains }: Given<{ domains: readonly string[] }>) =>
  db
    .selectFrom('program')
    .select('id')
    .where('websiteDomain', '=', anyOf(domains))
    // A literal: a parameter could not use the partial index.
    .where('status', '=', sql.lit<ProgramStatus>('active'))
    .limit(sql.lit(1)),
);

/** Whether a host is that of the website of an active program, or below it. */
export const isActiveWebsite = async (ctx: Context, host: string): Promise<boolean> => {
  const labels = host.split('.').slice(-MAX_LABELS);
  const domains = labels.map((_label, at) => labels.slice(at).join('.'));
  return (await firstRow(ctx.em, activeProgram({ domains }))) !== null;
};
