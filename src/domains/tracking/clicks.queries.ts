import type { Context } from '../../platform/context.ts';
import { firstRow, sql } from '../../platform/database/sql.ts';
import { clickIdOf, timeOfClick } from './click-token.ts';

/** A stored click, as evidence of a sale. */
export interface ClickRecord {
  id: string;
  affiliateId: string;
  /** Null for the affiliate's own code. */
  linkId: string | null;
  code: string;
  at: Date;
}

/**
 * Null for a malformed or unknown token, a click of another program, and one past its retention period. Whether the click is
 * inside the cookie window is left to the caller.
 */
export const findClick = async (ctx: Context, programId: string, token: string): Promise<ClickRecord | null> => {
  const id = clickIdOf(token);
  if (id === null) return null;
  const row = await firstRow(
    ctx.em,
    sql<Omit<ClickRecord, 'at'>>`select id, affiliate_id as "affiliateId", link_id as "linkId", code from click
      where id = ${id}::uuid and program_id = ${programId}::uuid`,
  );
  return row && { ...row, at: timeOfClick(id) };
};

const MAX_LABELS = 10;

/** Whether a host is that of the website of an active program, or below it. */
export const isActiveWebsite = async (ctx: Context, host: string): Promise<boolean> => {
  const labels = host.split('.').slice(-MAX_LABELS);
  const domains = labels.map((_label, at) => labels.slice(at).join('.'));
  const row = await firstRow(
    ctx.em,
    sql<{ found: boolean }>`select exists (
      select from program where website_domain = any(${domains}::text[]) and status = 'active') as found`,
  );
  return row?.found ?? false;
};
