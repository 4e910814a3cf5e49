import { DEFAULT_NAMESPACES } from '../../src/contracts/workflows/descriptor.ts';
import { namespacesOf } from '../../src/contracts/workflows/index.ts';
import { QUEUES, queuesOf } from '../../src/contracts/workflows/queues.ts';
import { readTemporalMetrics } from '../../src/worker/temporal-metrics.ts';
import { useTestSystem } from '../support/system.ts';
import { until } from '../support/until.ts';

const system = useTestSystem();

const label = (line: string, name: string): string => new RegExp(`[{,]${name}="([^"]+)"`).exec(line)?.[1] ?? '';

/** Open polls of one type, as `namespace queue count`. */
const openPolls = async (type: string): Promise<string[]> => {
  const prefix = system.runtime.config.TEMPORAL_QUEUE_PREFIX;
  const lines = (await readTemporalMetrics()).split('\n').filter((line) => line.startsWith('temporal_num_pollers{'));
  const ofType = lines.filter((line) => line.includes(`poller_type="${type}"`));
  return ofType
    .filter((line) => line.includes(`task_queue="${prefix}`))
    .map((line) => `${label(line, 'namespace')} ${label(line, 'task_queue').slice(prefix.length)} ${line.split(' ').at(-1)}`)
    .sort();
};

it('TE3: as many polls are open as configured: five for each queue of activities, ten for workflows', async () => {
  const { WORKER_ROLES } = system.runtime.config;
  const activities = queuesOf(WORKER_ROLES).filter((queue) => queue !== QUEUES.workflows);
  const expected = activities
    .flatMap((queue) => namespacesOf(queue).map((name) => `${DEFAULT_NAMESPACES[name]} ${queue} 5`))
    .sort();
  const isComplete = (polls: string[]) => expected.every((line) => polls.includes(line));
  expect(await until('every queue of activities is polled', () => openPolls('activity_task'), isComplete)).toEqual(expected);
  const expectedOf = { workflow_task: 2, sticky_workflow_task: 8 };
  const names = Object.values(DEFAULT_NAMESPACES).sort();
  for (const [type, count] of Object.entries(expectedOf)) {
    const open = names.map((name) => `${name} ${QUEUES.workflows} ${count}`);
    expect(
      await until(
        `the polls of ${type} are ${open.join()}`,
        () => openPolls(type),
        (polls) => polls.join() === open.join(),
      ),
    ).toEqual(open);
  }
});
