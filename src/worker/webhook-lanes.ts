import { webhookLane } from '../contracts/workflows/webhook-lane.ts';
import type { Runtime } from '../runtime.ts';
import type { Clients } from '../temporal/client.ts';
import { createDispatch } from '../temporal/relay/dispatch.ts';
import { startOf } from '../temporal/relay/routing.ts';

export interface WebhookLanesOptions {
  runtime: Runtime;
  clients: Clients;
  queuePrefix: string;
  /** The setting of a process that serves lanes; null in others. */
  lanes: number | null;
}

/**
 * Returns what starts the workflow of each lane that has none, also after one was terminated. The first call sets the number of
 * lanes: once, so that processes with different settings during an update do not contradict each other.
 */
export const webhookLanesEnsurer = ({ runtime, clients, queuePrefix, lanes }: WebhookLanesOptions): (() => Promise<void>) => {
  let setting = lanes;
  const ensure = createDispatch(clients, queuePrefix);
  const context = () => runtime.context({ kind: 'system', name: 'webhookLanes' });
  return async () => {
    if (setting !== null) await runtime.changeLaneCount(context(), { lanes: setting });
    setting = null;
    const count = await runtime.findLaneCount(context());
    for (let lane = 0; lane < count; lane++) {
      await ensure(startOf(webhookLane, webhookLane.start({ subjectId: '', suffix: null, payload: { lane } })));
    }
  };
};
