import { readFile } from 'node:fs/promises';
import { Worker } from '@temporalio/worker';
import { readHistories } from '../support/histories.ts';
import { silenceTemporal } from '../support/silence-temporal.ts';

beforeAll(silenceTemporal);

it('every recorded history is replayed by the current workflows', async () => {
  const bundle = { code: await readFile(process.env['TEST_WORKFLOW_BUNDLE'] ?? '', 'utf8') };
  const kept = await readHistories();
  expect(kept.length).toBeGreaterThanOrEqual(10);
  const failed: string[] = [];
  for (const { type, path, history } of kept) {
    await Worker.runReplayHistory({ workflowBundle: bundle }, history, `replay/${type}/${path}`).catch((error: Error) => {
      failed.push(`${type}/${path}: ${error.message}`);
    });
  }
  expect(failed).toEqual([]);
}, 120_000);

it('a history that the workflow could not have produced is rejected', async () => {
  const bundle = { code: await readFile(process.env['TEST_WORKFLOW_BUNDLE'] ?? '', 'utf8') };
  const [first] = (await readHistories()).filter((kept) => kept.type === 'payoutLifecycle');
  const events = first?.history.events?.map((event) =>
    event.activityTaskScheduledEventAttributes?.activityType?.name === 'startAttempt'
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
}, 60_000);
