import { erasePerson } from '../domains/me/index.ts';
import { eraseMails } from '../domains/notifications/index.ts';
import type { AddCommands } from './command.ts';
import { operatorContext, waitForRedis } from './operator.ts';
import { email } from './options.ts';

export const addPeopleCommands: AddCommands = (program, add) => {
  add<{ email: string }>(program, {
    name: 'erase-person',
    summary: "Replace a person's data in every table, and list what was kept and why",
    async run(runtime, options) {
      // The keys of the person end on all processes at once.
      const isConnected = await waitForRedis(runtime);
      const ctx = operatorContext(runtime);
      const { erased, ...rest } = await erasePerson(ctx, options);
      // Last: what was written meanwhile is among them.
      const mails = await eraseMails(ctx, { address: options.email });
      if (!isConnected)
        process.stderr.write('redis unavailable: running processes may accept the keys for up to 5 more seconds\n');
      return { ...rest, erased: { ...erased, mails } };
    },
  }).requiredOption('--email <address>', 'Email address of the person', email);
};
