import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { bundleWorkflowCode, Runtime, Worker } from '@temporalio/worker';
import { WORKFLOW_TRACING } from '../../src/worker/temporal-tracing.ts';
import { readHistories } from '../support/histories.ts';
import { silenceTemporal } from '../support/silence-temporal.ts';

beforeAll(silenceTemporal);

const replayAll = async (workflowBundle: { code: string }): Promise<string[]> => {
  const kept = await readHistories();
  expect(kept.length).toBeGreaterThanOrEqual(10);
  const histories = kept.map(({ history }) => {
    // A run under another id is a copy.
    const workflowId = history.events?.[0]?.workflowExecutionStartedEventAttributes?.workflowId ?? '';
    return { history, workflowId };
  });
  // One worker for all, which replays them in this order.
  const errors: (Error | undefined)[] = [];
  for await (const { error } of Worker.runReplayHistories({ workflowBundle }, histories)) errors.push(error);
  expect(errors).toHaveLength(kept.length);
  return kept.flatMap(({ version, type, path }, n) => (errors[n] ? [`${version}/${type}/${path}: ${errors[n].message}`] : []));
};

it('every recorded history is replayed by the current workflows', async () => {
  const bundle = { code: await readFile(process.env['TEST_WORKFLOW_BUNDLE'] ?? '', 'utf8') };
  expect(await replayAll(bundle)).toEqual([]);
});

it('tracing can be turned on while workflows are open: every recorded history is replayed with its interceptors', async () => {
  const bundle = await bundleWorkflowCode({
    workflowsPath: fileURLToPath(new URL('../../workflows/index.ts', import.meta.url)),
    workflowInterceptorModules: [WORKFLOW_TRACING],
    logger: Runtime.instance().logger,
  });
  expect(bundle.code).toContain('interceptors-opentelemetry');
  expect(await replayAll(bundle)).toEqual([]);
});

it('a history that the workflow could not have produced is rejected', async () => {
  const bundle = { code: await readFile(process.env['TEST_WORKFLOW_BUNDLE'] ?? '', 'utf8') };
  const [first] = (await readHistories()).filter((kept) => kept.type === 'payoutLifecycle' && kept.path === 'ok');
  const events = first?.history.events?.map((event) =>
    event.activityTaskScheduledEventAttributes?.activityType?.name === 'sendPayout'
      ? {
          ...event,
          activityTaskScheduledEventAttributes: {
            ...event.activityTaskScheduledEventAttributes,
            activityType: { name: 'somethingElse' },
          },
        }
      : event,
  );
  await expect(
    Worker.runReplayHistory({ workflowBundle: bundle }, { events: events ?? [] }, 'replay/nondeterministic'),
  ).rejects.toThrow();
});
