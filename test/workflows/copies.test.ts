import { makeApplication } from '../support/applications.ts';
import { startCopy } from '../support/copies.ts';
import { makeFlag } from '../support/flags.ts';
import { recordHistory } from '../support/histories.ts';
import { paidPayouts } from '../support/paid-payouts.ts';
import { useTestSystem } from '../support/system.ts';
import { until } from '../support/until.ts';
import { currentDetailsOf } from '../support/workflow-details.ts';

const system = useTestSystem({ reconcile: { everyMs: 300, graceMs: 0 } });
const { byHand, contradict, timelineOf } = paidPayouts(system);

/** What waits for a person, by the type of its workflow. */
const WAITING: Readonly<Record<string, () => Promise<{ workflowId: string; payoutId?: string }>>> = {
  flagReview: async () => ({ workflowId: `flag/${(await makeFlag(system)).flagId}` }),
  applicationReview: async () => ({ workflowId: `application/${(await makeApplication(system)).applicationId}` }),
  payoutContradiction: async () => {
    const { payoutId } = await byHand(['process', 'complete']);
    await contradict(payoutId, 'paid', 'failed');
    return { workflowId: `payout/${payoutId}/contradiction/1`, payoutId };
  },
};

it.each(Object.entries(WAITING))(
  'FI11: a copy of %s ends at once, needs nobody and says what it is a copy of',
  async (type, make) => {
    const client = system.temporal.clients.finance;
    const { workflowId, payoutId } = await make();
    const original = client.workflow.getHandle(workflowId);
    await until(
      'the workflow answers queries',
      () => original.query('currentState').catch(() => null),
      (state) => state !== null,
    );
    const copy = await startCopy(client, workflowId);
    expect(await copy.result()).toMatchObject({ status: 'superseded' });
    expect(await copy.describe()).toMatchObject({ type, searchAttributes: { State: ['superseded'], NeedsAttention: [false] } });
    expect(await currentDetailsOf(copy)).toMatch(
      new RegExp(`^\\*\\*Superseded\\*\\*: this is a copy.*\\n\\n- Workflow: .*${workflowId}`),
    );
    expect((await original.describe()).status.name).toBe('RUNNING');
    if (payoutId) expect(await timelineOf(payoutId)).toContain('workflow_superseded');
    await recordHistory(copy, type, 'copy');
  },
);
