import { listUnsentMails, retryMails } from '../domains/notifications/index.ts';
import type { AddCommands } from './command.ts';
import { operatorContext } from './operator.ts';
import { rowLimit, usage, uuid } from './options.ts';

interface RetryOptions {
  id?: string;
  all?: true;
}

const DEFAULT_LIMIT = 100;

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
  add<RetryOptions>(mail, {
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
