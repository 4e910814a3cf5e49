import type { CommissionType } from '../../../contracts/programs.ts';
import { type Context, emit, inTransaction } from '../../../platform/context.ts';
import { conflict } from '../../../platform/errors.ts';
import { getProgramDefaults, type ProgramDefaults } from '../../merchants/index.ts';
import { limitMonthsOf } from '../commission-limit.ts';
import { Program, type ProgramSettings } from '../program.entity.ts';
import { findFirstProgramId } from '../programs.queries.ts';
import { toProgram } from '../programs.wire.ts';
import { slugOf } from '../slug.ts';
import { saveProgram } from './save-program.ts';

export interface CreateProgramInput extends Omit<ProgramSettings, 'status'> {
  merchantId: string;
  name: string;
  commissionType: CommissionType;
  commissionPercent: number;
}

/** Starts a program with the merchant's defaults. An onboarding key may start only the merchant's first. */
export const createProgram = (ctx: Context, input: CreateProgramInput): Promise<Program> =>
  inTransaction(ctx, async (ctx) => {
    const onboarding = ctx.actor.kind === 'key' && ctx.actor.keyType === 'onboarding';
    // The lock makes two onboarding requests see each other's program.
    const defaults = await getProgramDefaults(ctx, { merchantId: input.merchantId, lock: onboarding });
    if (onboarding) await assertFirstProgram(ctx, input.merchantId);
    const program = ctx.em.create(Program, newProgram(ctx, defaults, input));
    await saveProgram(ctx, program);
    await emit(ctx, {
      type: 'program.created',
      merchantId: program.merchantId,
      programId: program.id,
      data: toProgram(program),
    });
    return program;
  });

const assertFirstProgram = async (ctx: Context, merchantId: string): Promise<void> => {
  const programId = await findFirstProgramId(ctx, merchantId);
  if (programId === null) return;
  throw conflict('ONBOARDING_PROGRAM_EXISTS', 'An onboarding key creates only the first program', { programId });
};

const newProgram = (ctx: Context, defaults: ProgramDefaults, input: CreateProgramInput) => {
  const id = ctx.ids.next();
  const now = ctx.clock.now();
  return {
    id,
    merchantId: input.merchantId,
    name: input.name,
    description: input.description ?? null,
    slug: slugOf(input.name, id),
    website: input.website ?? null,
    landingPageUrl: input.landingPageUrl ?? null,
    portalSlug: input.portalSlug ?? null,
    status: 'active' as const,
    marketplaceStatus: input.marketplaceStatus ?? ('private' as const),
    applicationAccess: input.applicationAccess ?? ('open' as const),
    marketplaceCategory: input.marketplaceCategory ?? null,
    marketplaceDescription: input.marketplaceDescription ?? null,
    marketplaceLogoUrl: input.marketplaceLogoUrl ?? null,
    commissionType: input.commissionType,
    commissionPercent: input.commissionPercent,
    commissionLimitMonths: limitMonthsOf(input.commissionType, input.commissionLimitMonths, null),
    commissionHoldDays: input.commissionHoldDays ?? 30,
    cookieDuration: input.cookieDuration ?? defaults.cookieDuration,
    payoutThreshold: input.payoutThreshold ?? defaults.payoutThreshold,
    payoutFrequency: input.payoutFrequency ?? ('monthly' as const),
    currency: input.currency ?? 'usd',
    autoApproveAffiliates: input.autoApproveAffiliates ?? false,
    trackingRequiresConsent: null,
    trackingParamAliases: null,
    termsUrl: null,
    stripeAccountId: null,
    stripeConnectedAt: null,
    createdByKey: ctx.actor.kind === 'key' ? ctx.actor.keyId : null,
    createdAt: now,
    updatedAt: now,
  };
};
