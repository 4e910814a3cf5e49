import { QUEUES, queuesOf } from '../../src/contracts/workflows/queues.ts';
import { readTemporalMetrics } from '../../src/worker/temporal-metrics.ts';
import { until, useTestSystem } from '../support/system.ts';

const system = useTestSystem();

/** Open polls of one type, as `queue count`. */
const openPolls = async (type: string): Promise<string[]> => {
  const prefix = system.runtime.config.TEMPORAL_QUEUE_PREFIX;
  const lines = (await readTemporalMetrics()).split('\n').filter((line) => line.startsWith('temporal_num_pollers{'));
  const ofType = lines.filter((line) => line.includes(`poller_type="${type}"`));
  return ofType
    .map((line) => `${/task_queue="([^"]+)"/.exec(line)?.[1]} ${line.split(' ').at(-1)}`)
    .filter((line) => line.startsWith(prefix))
    .map((line) => line.slice(prefix.length))
    .sort();
};

it('TE3: as many polls are open as configured: five for each queue of activities, ten for workflows', async () => {
  const { WORKER_ROLES } = system.runtime.config;
  const activities = queuesOf(WORKER_ROLES).filter((queue) => queue !== QUEUES.workflows);
  const expected = activities.map((queue) => `${queue} 5`).sort();
  const isComplete = (polls: string[]) => expected.every((line) => polls.includes(line));
  expect(await until(() => openPolls('activity_task'), isComplete)).toEqual(expected);
  const expectedOf = { workflow_task: [`${QUEUES.workflows} 2`], sticky_workflow_task: [`${QUEUES.workflows} 8`] };
  for (const [type, open] of Object.entries(expectedOf))
    expect(
      await until(
        () => openPolls(type),
        (polls) => polls.join() === open.join(),
      ),
    ).toEqual(open);
});
