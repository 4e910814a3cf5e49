import type { Command } from 'commander';
import { dataFolderOf } from '../local/installation/data-folder.ts';
import type { Environment } from '../local/installation/system-settings.ts';
import type { Runtime } from '../runtime.ts';
import { openOperatorRuntime } from './operator.ts';

export interface CommandDefinition<Options> {
  name: string;
  summary: string;
  /** The result is printed as JSON, null not at all. If its `ok` is false, the exit code is 1. */
  run: (runtime: Runtime, options: Options) => Promise<object | null>;
}

export type AddCommand = <Options>(parent: Command, definition: CommandDefinition<Options>) => Command;
export type AddCommands = (program: Command, add: AddCommand) => void;

/** Each command opens a runtime of its own, prints its result and closes the runtime again. */
export const commandAdder =
  (env: Environment): AddCommand =>
  <Options>(parent: Command, { name, summary, run }: CommandDefinition<Options>) =>
    parent
      .command(name)
      .description(summary)
      .option('--json', 'Print one line of JSON')
      .copyInheritedSettings(parent)
      .action(async (options: Options & { json?: true }) => {
        const runtime = await openOperatorRuntime(env, dataFolderOf(env));
        try {
          const output = await run(runtime, options);
          if (output === null) return;
          process.stdout.write(`${JSON.stringify(output, null, options.json ? 0 : 2)}\n`);
          if ('ok' in output && output.ok === false) process.exitCode = 1;
        } finally {
          await runtime.close();
        }
      });
