import type { Rail } from '../../../contracts/rails.ts';
import type { Context } from '../../../platform/context.ts';
import { execute, firstRow, rows } from '../../../platform/database/sql.ts';
import { anyOf, json } from '../../../platform/database/table.ts';
import { db } from '../../tables.ts';
import { readDetails } from '../create/read-details.steps.ts';
import type { Payout } from '../payout.entity.ts';
import type { PayoutAttempt } from '../payout-attempt.entity.ts';
import { signalPayoutsById } from '../payout-workflow.steps.ts';
import type { References } from '../rails/answer.ts';
import { receiverHash, receiverOf } from './receiver.rules.ts';

/** A payment that a provider lists and our books do not have. */
export interface MissingPayment {
  idempotencyKey: string | null;
  references: References;
  /** In plain text; null where the provider does not say. */
  receiver: string | null;
  amountMinor: number;
  currency: string;
}

interface NewHold {
  /** Id of the difference. */
  id: string;
  /** Null for any merchant. */
  merchantId: string | null;
  rail: Rail;
  /** The payout that the provider names. */
  payoutId?: string | null;
  payment: MissingPayment;
}

/** Nobody is paid to this receiver before a person said what the payment is. The second call opens a hold again that ended. */
export const holdPayee = async (ctx: Context, { id, merchantId, rail, payoutId = null, payment }: NewHold): Promise<void> => {
  const { idempotencyKey, references, receiver, amountMinor: amount, currency } = payment;
  const hash = receiver === null ? null : receiverHash(ctx.cipher, receiver);
  await execute(
    ctx.em,
    db
      .insertInto('payee_hold')
      .values({
        ...{ id, merchantId, rail, receiverHash: hash, amount, currency, idempotencyKey, payoutId },
        ...{ railReferences: json(references), createdAt: ctx.clock.now().toISOString() },
      })
      .onConflict((conflict) => conflict.column('id').doUpdateSet({ endedAt: null, payoutId })),
  );
};

/** Lets payees be paid again. `payoutId`: the payout that the payment is, which is then looked up and never sent. One that the provider names stays so. */
export const endPayeeHolds = async (
  ctx: Context,
  { ids, payoutId }: { ids: readonly string[]; payoutId: string | null },
): Promise<void> => {
  if (ids.length === 0) return;
  const endedAt = ctx.clock.now().toISOString();
  const ended = db.updateTable('payee_hold').set(payoutId === null ? { endedAt } : { endedAt, payoutId });
  await execute(ctx.em, ended.where('id', '=', anyOf([...ids])).where('endedAt', 'is', null));
  const waiting = await rows(
    ctx.em,
    db
      .selectFrom('payee_hold_payout')
      .select('payoutId')
      .where('holdId', '=', anyOf([...ids]))
      .limit(MAX_WAITING),
  );
  await signalPayoutsById(ctx, [...waiting.map((each) => each.payoutId), ...(payoutId === null ? [] : [payoutId])]);
};

/** Payouts that are told at once. The others try again by themselves. */
const MAX_WAITING = 1_000;

/**
 * Whether the payee of a payout is held, which is noted. Without a receiver at the provider the amount decides, so that nobody is paid twice
 * who only may be the one.
 */
export const isPayeeHeld = async (ctx: Context, payout: Payout): Promise<boolean> => {
  const details = readDetails(ctx, payout);
  const receiver = details && receiverOf(details);
  const hash = receiver === null ? null : receiverHash(ctx.cipher, receiver);
  const { id: payoutId, merchantId, rail, amount, currency } = payout;
  const hold = await firstRow(
    ctx.em,
    db
      .selectFrom('payee_hold')
      .select('id')
      .where('endedAt', 'is', null)
      .where((eb) => eb.or([eb('merchantId', '=', merchantId), eb('merchantId', 'is', null)]))
      .where((eb) =>
        eb.or([
          ...(hash === null ? [] : [eb('receiverHash', '=', hash)]),
          eb.and([
            eb('receiverHash', 'is', null),
            eb('rail', '=', rail),
            eb('amount', '=', amount),
            eb('currency', '=', currency),
          ]),
        ]),
      )
      .orderBy('id')
      .limit(1),
  );
  if (!hold) return false;
  const noted = { payoutId, holdId: hold.id, createdAt: ctx.clock.now().toISOString() };
  await execute(
    ctx.em,
    db
      .insertInto('payee_hold_payout')
      .values(noted)
      .onConflict((conflict) => conflict.doNothing()),
  );
  return true;
};

/** The provider's ids of what it lists under the key of the attempt, or as the payout: by these it can be asked. */
export const takeListedReferences = async (ctx: Context, attempt: PayoutAttempt, { merchantId }: Payout): Promise<void> => {
  const { idempotencyKey, payoutId } = attempt;
  const hold = db
    .selectFrom('payee_hold')
    .select('railReferences')
    .where((eb) => eb.or([eb('idempotencyKey', '=', idempotencyKey), eb('payoutId', '=', payoutId)]))
    .where((eb) => eb.or([eb('merchantId', '=', merchantId), eb('merchantId', 'is', null)]))
    .limit(1);
  attempt.addReferences((await firstRow(ctx.em, hold))?.railReferences ?? {});
};
