import { Option } from 'commander';
import { OUTBOX_TOPICS } from '../contracts/outbox.ts';
import { liftMailSuppression, listUnsentMails, retryMails } from '../domains/notifications/index.ts';
import { ENCRYPTED_COLUMNS } from '../encrypted-columns.ts';
import { recordInstallationChange } from '../platform/audit-log/record-change.ts';
import { type Context, inTransaction } from '../platform/context.ts';
import { type ColumnReport, reencryptColumn } from '../platform/crypto/reencrypt.ts';
import { listFailedOutboxRows, readOutboxHealth, retryFailedOutboxRows } from '../platform/outbox/outbox-health.ts';
import type { AddCommands } from './command.ts';
import { operatorContext } from './operator.ts';
import { email, rowLimit, sequenceNumber, usage, uuid } from './options.ts';

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

interface MailRetryOptions {
  id?: string;
  all?: true;
}

export const addMailCommands: AddCommands = (program, add) => {
  const mail = program.command('mail').description('Mail commands').copyInheritedSettings(program);
  add<{ limit: number }>(mail, {
    name: 'list',
    summary: 'List mails that were given up, and those whose last try failed; exit code 1 if any was given up',
    async run(runtime, { limit }) {
      const mails = await listUnsentMails(operatorContext(runtime), { limit });
      return { ok: mails.every(({ status }) => status !== 'given_up'), mails };
    },
  }).option('--limit <rows>', 'Mails to list', rowLimit, DEFAULT_LIMIT);
  add<{ email: string }>(mail, {
    name: 'allow',
    summary: 'Write mails again to an address that its mail server refused as unknown',
    run: async (runtime, { email: address }) => ({ allowed: await liftMailSuppression(operatorContext(runtime), { address }) }),
  }).requiredOption('--email <address>', 'Email address', email);
  add<MailRetryOptions>(mail, {
    name: 'retry',
    summary: 'Send mails again that were given up',
    async run(runtime, { id, all }) {
      if ((id === undefined) === (all === undefined)) throw usage('pass --id or --all');
      return { retried: await retryMails(operatorContext(runtime), { id }) };
    },
  })
    .option('--id <mail id>', 'One mail', uuid)
    .option('--all', 'The oldest 1,000');
};

const recordEncryption = (ctx: Context, key: string | undefined) =>
  inTransaction(ctx, (ctx) => recordInstallationChange(ctx, { action: 'installation.encrypted_again', after: { key } }));

export const addEncryptionCommands: AddCommands = (program, add) => {
  add(program, {
    name: 'reencrypt',
    summary: 'Encrypt all stored values under the first of ENCRYPTION_KEYS, while everything runs; exit code 1 if some are left',
    async run(runtime) {
      const columns: ColumnReport[] = [];
      // Before the first batch: a run that is interrupted leaves its entry too.
      await recordEncryption(operatorContext(runtime), runtime.config.ENCRYPTION_KEYS[0]?.id);
      for (const column of ENCRYPTED_COLUMNS) columns.push(await reencryptColumn(operatorContext(runtime), column));
      const ok = columns.every(({ left, unreadable }) => left === 0 && unreadable.length === 0);
      return { ok, key: runtime.config.ENCRYPTION_KEYS[0]?.id, columns };
    },
  });
};
