import { type DeliveryInput, type DeliveryResult, type DeliveryTrigger, isResend } from '../../../contracts/webhooks.ts';
import { SECOND_MS } from '../../../platform/clock.ts';
import type { Context } from '../../../platform/context.ts';
import { compileOnce, type Given } from '../../../platform/database/compiled.ts';
import { execute, type Insertable } from '../../../platform/database/sql.ts';
import type { OutboundMessage } from '../../../platform/outbound/outbound.ts';
import { db, type Tables } from '../../tables.ts';
import { deleteExpiredSecrets, readLiveSecrets } from '../endpoints/signing-secrets.steps.ts';
import type { WebhookDelivery } from '../webhook-delivery.entity.ts';
import { clampWait, type DeliverySchedule } from './schedule.rules.ts';
import { signedMessage } from './signature.steps.ts';
import type { Outgoing } from './webhook-deliveries.queries.ts';

/** One run of a delivery, which makes one attempt at a time. */
export interface DeliveryRun extends DeliveryInput {
  schedule: DeliverySchedule;
}

/** The next step of a delivery: end, wait, or send an attempt. */
export type DeliveryStep =
  | { kind: 'end'; result: DeliveryResult }
  | { kind: 'wait'; retryInMs: number }
  | { kind: 'send'; n: number; message: OutboundMessage };

const triggerOf = (delivery: WebhookDelivery, run: DeliveryRun): DeliveryTrigger => (isResend(run) ? 'manual' : delivery.trigger);

type Started = Required<
  Pick<Insertable<Tables['webhook_attempt']>, 'deliveryId' | 'n' | 'suffix' | 'trigger' | 'url' | 'startedAt' | 'secretIds'>
>;

const startedAttempt = compileOnce((row: Given<Started>) =>
  db
    .insertInto('webhook_attempt')
    .values(row)
    .onConflict((conflict) => conflict.doNothing()),
);

/**
 * Assigns the attempt's number and signs its body. A lane starts attempts without locking the delivery, with the same number:
 * while its attempt has no outcome, this one waits. An endpoint that was deleted since it was looked up has no secret: nothing
 * is sent.
 */
export const prepareAttempt = async (
  ctx: Context,
  delivery: WebhookDelivery,
  outgoing: Outgoing,
  run: DeliveryRun,
): Promise<DeliveryStep> => {
  const now = ctx.clock.now();
  const n = delivery.attempts + 1;
  const waits: DeliveryStep = { kind: 'wait', retryInMs: clampWait(run.schedule, SECOND_MS) };
  await deleteExpiredSecrets(ctx, delivery.endpointId);
  const secrets = await readLiveSecrets(ctx, delivery.endpointId);
  if (secrets.length === 0) return waits;
  const inserted = await execute(
    ctx.em,
    startedAttempt({
      deliveryId: delivery.id,
      n,
      suffix: run.suffix,
      trigger: triggerOf(delivery, run),
      url: outgoing.url,
      startedAt: now.toISOString(),
      secretIds: secrets.map((secret) => secret.id),
    }),
  );
  if (inserted === 0) return waits;
  if (isResend(run)) delivery.startResendAttempt();
  else delivery.startAttempt(now);
  return { kind: 'send', n, message: signedMessage(ctx, delivery, outgoing, secrets) };
};
