import { isDeepStrictEqual } from 'node:util';
import type { CommissionType } from '../../../contracts/programs.ts';
import { recordChange, valuesOf } from '../../../platform/audit-log/record-change.ts';
import { actorName, type Context, emit, findCaller, inTransaction } from '../../../platform/context.ts';
import { AppError, conflict } from '../../../platform/errors.ts';
import { mayAct } from '../../auth/index.ts';
import { getTimeZone } from '../../given-times.ts';
import { assertMayAddProgram, getProgramDefaults, type ProgramDefaults } from '../../merchants/index.ts';
import { mergeAutoPayouts, toAutoPayouts } from '../auto-payouts.wire.ts';
import { limitMonthsOf } from '../commission-limit.rules.ts';
import { lockProgram } from '../lock-program.steps.ts';
import { assertPayoutThreshold, clampPayoutThreshold } from '../payout-threshold.rules.ts';
import { nextPayoutTurn } from '../payout-turn.steps.ts';
import { Program, type ProgramSettings, type StoredAutoPayouts } from '../program.entity.ts';
import { findFirstProgramId, isCurrencyFixed } from '../programs.queries.ts';
import { toProgram } from '../programs.wire.ts';
import { emitProgramUpdated, recordProgramChange, saveProgram } from '../save-program.steps.ts';
import { slugOf } from '../slug.rules.ts';
import { assertPublicPages, websiteDomainOf } from '../website-domain.steps.ts';

/** A change of the runs that are drafted by themselves, which may leave a field out. */
interface GivenAutoPayouts {
  autoPayouts?: Parameters<typeof mergeAutoPayouts>[0] | undefined;
}

export interface CreateProgramInput extends Omit<ProgramSettings, 'status' | 'autoPayouts'>, GivenAutoPayouts {
  merchantId: string;
  name: string;
  commissionType: CommissionType;
  commissionPercent: number;
}

/**
 * Creates a program with the merchant's defaults. An onboarding key may create only the merchant's first program.
 * BILLING_RESTRICTED or BILLING_REQUIRED when the billing tier does not allow one more.
 */
export const createProgram = (ctx: Context, input: CreateProgramInput): Promise<Program> =>
  inTransaction(ctx, async (ctx) => {
    assertPublicPages(ctx, input);
    const onboarding = ctx.actor.kind === 'key' && ctx.actor.keyType === 'onboarding';
    // The lock serializes onboarding requests, so that the second one sees the program of the first.
    const defaults = await getProgramDefaults(ctx, { merchantId: input.merchantId, lock: onboarding });
    if (onboarding) await assertFirstProgram(ctx, input.merchantId);
    await assertMayAddProgram(ctx, defaults);
    const program = ctx.em.create(Program, newProgram(ctx, defaults, input));
    await saveProgram(ctx, program);
    if (input.autoPayouts?.enabled) await planPayoutTurn(ctx, program);
    await recordChange(ctx, {
      ownerId: program.merchantId,
      action: 'program.created',
      resourceId: program.id,
      after: valuesOf(program, AUDITED),
    });
    await emit(ctx, {
      type: 'program.created',
      merchantId: program.merchantId,
      programId: program.id,
      data: toProgram(program),
    });
    return program;
  });

const AUDITED = [
  'name',
  'commissionType',
  'commissionPercent',
  'commissionLimitMonths',
  'commissionHoldDays',
  'cookieDuration',
  'payoutThreshold',
  'autoPayouts',
  'currency',
  'autoApproveAffiliates',
  'embedOrigins',
] as const;

const assertFirstProgram = async (ctx: Context, merchantId: string): Promise<void> => {
  const programId = await findFirstProgramId(ctx, merchantId);
  if (programId === null) return;
  throw conflict('ONBOARDING_PROGRAM_EXISTS', 'An onboarding key can only create the first program', { programId });
};

const thresholdOf = ({ payoutThreshold, currency = 'usd' }: CreateProgramInput, defaults: ProgramDefaults): number => {
  if (payoutThreshold === undefined) return clampPayoutThreshold(defaults.payoutThreshold, currency);
  assertPayoutThreshold(payoutThreshold, currency);
  return payoutThreshold;
};

const newProgram = (ctx: Context, defaults: ProgramDefaults, input: CreateProgramInput) => {
  const id = ctx.ids.next();
  const now = ctx.clock.now();
  return {
    ...input,
    autoPayouts: input.autoPayouts ? chooseAutoPayouts(ctx, input.autoPayouts, null) : null,
    id,
    slug: slugOf(input.name, id),
    websiteDomain: websiteDomainOf(input.website),
    commissionLimitMonths: limitMonthsOf(input.commissionType, input.commissionLimitMonths, null),
    cookieDuration: input.cookieDuration ?? defaults.cookieDuration,
    payoutThreshold: thresholdOf(input, defaults),
    createdByKey: ctx.actor.kind === 'key' ? ctx.actor.keyId : null,
    createdAt: now,
    updatedAt: now,
  };
};

export interface UpdateProgramInput {
  id: string;
  changes: Omit<ProgramSettings, 'autoPayouts'> & GivenAutoPayouts;
}

/** Applies the values that differ and emits one event. When none differs, it emits nothing. */
export const updateProgram = (ctx: Context, { id, changes }: UpdateProgramInput): Promise<Program> =>
  inTransaction(ctx, async (ctx) => {
    assertPublicPages(ctx, changes);
    const program = await lockProgram(ctx, id);
    if (changes.currency !== undefined && changes.currency !== program.currency) await assertCurrencyOpen(ctx, program);
    if (changes.currency !== undefined || changes.payoutThreshold !== undefined)
      assertPayoutThreshold(changes.payoutThreshold ?? program.payoutThreshold, changes.currency ?? program.currency);
    const type = changes.commissionType ?? program.commissionType;
    const commissionLimitMonths = limitMonthsOf(type, changes.commissionLimitMonths, program.commissionLimitMonths);
    const before = valuesOf(program, [...(Object.keys(changes) as (keyof ProgramSettings)[]), 'commissionLimitMonths']);
    const stored = program.autoPayouts ?? null;
    const isOrphaned = changes.autoPayouts !== undefined && (await mayTakeOver(ctx, program.merchantId, stored));
    const autoPayouts = changes.autoPayouts && chooseAutoPayouts(ctx, changes.autoPayouts, stored, isOrphaned);
    const updatedFields = program.change({ ...changes, autoPayouts, commissionLimitMonths }, ctx.clock.now());
    if (updatedFields.length === 0) return program;
    await saveProgram(ctx, program);
    if (updatedFields.includes('autoPayouts') || updatedFields.includes('payoutFrequency')) await planPayoutTurn(ctx, program);
    await recordProgramChange(ctx, program, before);
    await emitProgramUpdated(ctx, program, updatedFields);
    return program;
  });

/** Whether the caller may pay, and whoever chose runs that confirm themselves may not any more: the same choice is the caller's then. */
const mayTakeOver = async (ctx: Context, merchantId: string, stored: StoredAutoPayouts | null): Promise<boolean> => {
  const scope = 'payouts:write';
  if (stored?.setBy === undefined || !findCaller(ctx.actor)?.scopes.includes(scope)) return false;
  return !(await mayAct(ctx, { actor: stored.setBy, merchantId, scope }));
};

/**
 * Throws INSUFFICIENT_SCOPE for runs that confirm themselves: whoever chooses them pays. The same choice again changes nothing, unless
 * nobody who chose it is left.
 */
const chooseAutoPayouts = (
  { actor }: Context,
  given: Parameters<typeof mergeAutoPayouts>[0],
  stored: StoredAutoPayouts | null,
  isOrphaned = false,
): StoredAutoPayouts => {
  const chosen = mergeAutoPayouts(given, stored);
  if (stored && !isOrphaned && isDeepStrictEqual(chosen, toAutoPayouts(stored))) return stored;
  const required = 'payouts:write';
  const caller = findCaller(actor);
  if (chosen.enabled && !chosen.requireConfirmation && caller && !caller.scopes.includes(required))
    throw new AppError(
      'INSUFFICIENT_SCOPE',
      `Only a key with the scope ${required} can choose payout runs that confirm themselves`,
      {
        required,
        granted: [...caller.scopes],
      },
    );
  return { ...chosen, setBy: actorName(actor) };
};

/** A period that has begun is not made up for. The program is saved before: a query writes what is pending. */
const planPayoutTurn = async (ctx: Context, program: Program): Promise<void> => {
  const timeZone = await getTimeZone(ctx, program.merchantId);
  const turn = nextPayoutTurn(ctx.clock.now(), { frequency: program.payoutFrequency, timeZone });
  program.autoPayoutsAt = program.autoPayouts?.enabled ? turn : null;
};

/** Sales and adjustments take a shared lock on the program, so none can be added before this transaction ends. */
const assertCurrencyOpen = async (ctx: Context, program: Program): Promise<void> => {
  if (!(await isCurrencyFixed(ctx, program.id))) return;
  throw conflict('CURRENCY_LOCKED', 'The currency cannot be changed after the first sale or adjustment', {
    currency: program.currency,
  });
};

/** Archiving an archived program changes nothing and emits nothing. */
export const archiveProgram = (ctx: Context, input: { id: string }): Promise<Program> =>
  updateProgram(ctx, { id: input.id, changes: { status: 'archived' } });
