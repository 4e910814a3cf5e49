import { Option } from 'commander';
import { OUTBOX_TOPICS } from '../contracts/outbox.ts';
import { listFailedOutboxRows, readOutboxHealth, retryFailedOutboxRows } from '../platform/outbox/outbox-health.ts';
import type { AddCommands } from './command.ts';
import { operatorContext } from './operator.ts';
import { rowLimit, sequenceNumber, usage } from './options.ts';

interface RetryOptions {
  seq?: string;
  topic?: string;
  all?: true;
}

const DEFAULT_LIMIT = 100;

export const addOutboxCommands: AddCommands = (program, add) => {
  const outbox = program.command('outbox').description('Outbox commands').copyInheritedSettings(program);
  add<{ limit: number }>(outbox, {
    name: 'list',
    summary: 'Count outbox rows by topic and list those that failed repeatedly; exit code 1 if there are any',
    async run(runtime, { limit }) {
      const ctx = operatorContext(runtime);
      const failed = await listFailedOutboxRows(ctx, { limit });
      return { ok: failed.length === 0, topics: await readOutboxHealth(ctx), failed };
    },
  }).option('--limit <rows>', 'Failed rows to list', rowLimit, DEFAULT_LIMIT);
  add<RetryOptions>(outbox, {
    name: 'retry',
    summary: 'Relay failed outbox rows now instead of within an hour',
    async run(runtime, { seq, topic, all }) {
      if ([seq, topic, all].filter((given) => given !== undefined).length !== 1)
        throw usage('pass one of --seq, --topic and --all');
      return { retried: await retryFailedOutboxRows(operatorContext(runtime), { seq, topic }) };
    },
  })
    .option('--seq <number>', 'One row', sequenceNumber)
    .addOption(new Option('--topic <topic>', 'All failed rows of a topic').choices(OUTBOX_TOPICS))
    .option('--all', 'All failed rows');
};
