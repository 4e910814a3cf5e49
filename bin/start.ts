import type { LaunchOptions } from '../src/demo/launch.ts';

const OLDEST = 24;

const readOptions = async (): Promise<LaunchOptions> => {
  const { Command } = await import('commander');
  const command = new Command('npm start --')
    .description('Starts the whole system on this machine and runs its main job once.')
    .option('--once', 'end after the main job: 0 when it succeeded, 1 when not', false)
    .option('--data <folder>', 'where the data lives (default: TRIBUTARY_DATA, or .data)')
    .showSuggestionAfterError(false)
    .parse();
  const { once, data } = command.opts<{ once: boolean; data?: string }>();
  return { once, env: data === undefined ? process.env : { ...process.env, TRIBUTARY_DATA: data } };
};

if (Number(process.versions.node.split('.')[0]) < OLDEST) {
  process.stderr.write(
    `Tributary needs Node ${OLDEST} or newer, and this is ${process.version}. Install it from https://nodejs.org, or with: nvm install ${OLDEST}\n`,
  );
  process.exitCode = 1;
} else {
  // Loaded only now: an older Node may not even read what follows.
  const { launch } = await import('../src/demo/launch.ts');
  process.exit(await launch(await readOptions()));
}
