import type { DeliveryInput, DeliveryResult } from '../../contracts/webhooks.ts';
import type { OutboundMessage } from '../../platform/outbound/outbound.ts';
import type { DeliverySchedule } from './schedule.ts';

/** One run of a delivery, which makes one attempt at a time. */
export interface DeliveryRun extends DeliveryInput {
  schedule: DeliverySchedule;
}

/** The next step of a delivery: end, wait, or send an attempt. */
export type DeliveryStep =
  | { kind: 'end'; result: DeliveryResult }
  | { kind: 'wait'; retryInMs: number }
  | { kind: 'send'; n: number; message: OutboundMessage };
