import { pino } from 'pino';
import { ALL_WORKFLOWS } from '../../src/contracts/workflows/index.ts';
import { readTemporalMetrics } from '../../src/worker/temporal-metrics.ts';
import { installTemporalRuntime } from '../../src/worker/temporal-workers.ts';
import { makeApplication } from '../support/applications.ts';
import { makeFlag } from '../support/flags.ts';
import { makeManualPayout } from '../support/payouts.ts';
import { useTestSystem } from '../support/system.ts';
import { until } from '../support/until.ts';

const system = useTestSystem({ env: { RAIL_PAYPAL: 'manual' } });

const logged: string[] = [];
beforeAll(() => installTemporalRuntime(pino({}, { write: (line) => void logged.push(line) })));

interface Followed {
  workflowId: string;
  /** What the API answers about the row. */
  end(): Promise<{ status: number }>;
}

/** A running workflow of each type whose signal has a payload, and what ends it. */
const FOLLOWED: Readonly<Record<string, () => Promise<Followed>>> = {
  payoutLifecycle: async () => {
    const { payoutId, act } = await makeManualPayout(system);
    const end = async () => {
      await act('process');
      return act('complete', {});
    };
    return { workflowId: `payout/${payoutId}`, end };
  },
  applicationReview: async () => {
    const { applicationId, key } = await makeApplication(system);
    const end = () => system.call('POST', `/applications/${applicationId}/approve`, { key, body: {} });
    return { workflowId: `application/${applicationId}`, end };
  },
  flagReview: async () => {
    const { flagId, resolve } = await makeFlag(system);
    return { workflowId: `flag/${flagId}`, end: () => resolve('dismissed') };
  },
};

const INVALID = [
  undefined,
  null,
  'completed',
  {},
  { version: 99, status: 'no such status' },
  { version: '99', status: 'approved' },
];

/** As a worker reports it to Prometheus. */
const countOf = async (signal: string): Promise<number> =>
  (await readTemporalMetrics())
    .split('\n')
    .filter((line) => line.startsWith('tributary_invalid_signals_total{') && line.includes(`signal="${signal}"`))
    .reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' '))), 0);

it('every type of workflow whose signal has a payload is tried', () => {
  const refusing = ALL_WORKFLOWS.filter(({ signal }) => signal && !signal.isValid(undefined));
  expect(refusing.map(({ type }) => type).sort()).toEqual(Object.keys(FOLLOWED).sort());
});

/** What the states of a flag and of a payout say until these are loaded. */
const BEFORE_THE_FIRST_STEP = /1970-01-01|its first attempt/;

it.each(Object.entries(FOLLOWED))('invalid signals to %s are noted and ignored, and it goes on', async (type, begin) => {
  const { workflowId, end } = await begin();
  const signal = ALL_WORKFLOWS.find((workflow) => workflow.type === type)?.signal?.name ?? '';
  const workflow = system.temporal.clients.finance.workflow.getHandle(workflowId);
  const state = () => workflow.query('currentState').catch(() => null);
  const before = await until(
    'the workflow is past its first step',
    state,
    (found) => found !== null && !BEFORE_THE_FIRST_STEP.test(JSON.stringify(found)),
  );
  const counted = await countOf(signal);
  for (const payload of INVALID) await workflow.signal(signal, payload);
  const notes = () => logged.filter((line) => line.includes('invalid signal ignored') && line.includes(workflowId));
  await until(
    'every invalid signal is noted',
    async () => notes().length,
    (count) => count === INVALID.length,
  );
  expect(await state()).toEqual(before);
  expect((await workflow.describe()).status.name).toBe('RUNNING');
  expect((await end()).status).toBe(200);
  await workflow.result();
  expect(notes()).toHaveLength(INVALID.length);
  // The alert rule is about this metric.
  expect((await countOf(signal)) - counted).toBe(INVALID.length);
});
