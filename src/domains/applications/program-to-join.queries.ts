import { hash } from 'node:crypto';
import type { AcceptedTerms, ApplicationField, ProgramTerms } from '../../contracts/joining.ts';
import { type Context, onlyMerchantOf, siteOf } from '../../platform/context.ts';
import { firstRow } from '../../platform/database/sql.ts';
import { conflict, notFound } from '../../platform/errors.ts';
import { getInviteToJoin } from '../invites/index.ts';
import { PORTAL_COLUMNS } from '../programs/index.ts';
import { db } from '../tables.ts';
import { type ProgramToJoinView, toProgramToJoin } from './program-to-join.wire.ts';

/** A published program, or any. */
type Which = { portalSlug: string } | { programId: string };

const findToJoin = (ctx: Context, which: Which) =>
  firstRow(
    ctx.em,
    db
      .selectFrom('program as p')
      .innerJoin('merchant as m', 'm.id', 'p.merchantId')
      .leftJoin('program_portal as o', 'o.programId', 'p.id')
      .select(PORTAL_COLUMNS)
      .select(['p.id as programId', 'p.merchantId', 'p.name as programName', 'p.description', 'p.website', 'p.status'])
      .select(['p.applicationAccess', 'p.autoApproveAffiliates', 'p.termsUrl', 'p.commissionType', 'p.commissionPercent'])
      .select('p.applicationFields as fields')
      .select([
        'p.commissionLimitMonths',
        'p.commissionHoldDays',
        'p.payoutThreshold',
        'p.payoutFrequency',
        'p.cookieDuration',
        'p.currency',
        'm.companyName',
      ])
      .where((eb) => ('programId' in which ? eb('p.id', '=', which.programId) : eb('p.portalSlug', '=', which.portalSlug)))
      .where('p.status', '<>', 'archived'),
  );

/** Terms of a program that was read as a row. */
const termsOf = (program: ProgramTerms): ProgramTerms => ({
  termsUrl: program.termsUrl,
  commissionType: program.commissionType,
  commissionPercent: program.commissionPercent,
  commissionLimitMonths: program.commissionLimitMonths,
  commissionHoldDays: program.commissionHoldDays,
  currency: program.currency,
});

/** Another one as soon as anything in the terms is different, or what is asked with them. */
const versionOf = (terms: ProgramTerms, fields: readonly ApplicationField[] = []): string =>
  hash('sha256', JSON.stringify([terms, fields]), 'hex').slice(0, 16);

/**
 * A program with its merchant, and what whoever joins it accepts. NOT_FOUND for an archived one, and for one of another merchant than
 * the only one that is shown.
 */
export const readProgramToJoin = async (
  ctx: Context,
  which: Which,
): Promise<{ merchantId: string; view: ProgramToJoinView; terms: ProgramTerms }> => {
  const row = await findToJoin(ctx, which);
  const only = onlyMerchantOf(ctx) ?? siteOf(ctx)?.merchantId;
  if (!row || (only !== undefined && row.merchantId !== only)) throw notFound('Program');
  const terms = termsOf(row);
  return { merchantId: row.merchantId, view: toProgramToJoin(ctx, row, versionOf(terms, row.fields)), terms };
};

export const getProgramToJoin = async (ctx: Context, portalSlug: string): Promise<ProgramToJoinView> =>
  (await readProgramToJoin(ctx, { portalSlug })).view;

/** The program of an invite. NOT_FOUND for an invite that can not be claimed: nobody accepts its terms. */
export const getInvitedProgram = async (ctx: Context, token: string): Promise<ProgramToJoinView> => {
  const { status, programId } = await getInviteToJoin(ctx, token);
  if (status !== 'open') throw notFound('Program');
  return (await readProgramToJoin(ctx, { programId })).view;
};

/** The terms as they are now, in this version. TERMS_CHANGED when the person was shown another one. */
export const acceptTerms = (ctx: Context, terms: ProgramTerms, version: string, shown: string): AcceptedTerms => {
  if (version !== shown) throw conflict('TERMS_CHANGED', 'The terms of the program have changed. Read them again');
  return { ...terms, version, acceptedAt: ctx.clock.now().toISOString() };
};
