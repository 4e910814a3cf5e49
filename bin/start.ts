import type { LaunchOptions } from '../src/local/demo/launch.ts';

const MIN_NODE = 24;

const readOptions = async (): Promise<LaunchOptions> => {
  const { Command } = await import('commander');
  const command = new Command('npm start --')
    .description('Starts the entire system on this machine and runs an end-to-end demo.')
    .option('--once', 'exit after the demo, with 0 if it succeeded and 1 if not', false)
    .option('--data <folder>', 'data folder (default: TRIBUTARY_DATA, or .data)')
    .showSuggestionAfterError(false)
    .parse();
  const { once, data } = command.opts<{ once: boolean; data?: string }>();
  return { once, env: data === undefined ? process.env : { ...process.env, TRIBUTARY_DATA: data } };
};

if (Number(process.versions.node.split('.')[0]) < MIN_NODE) {
  process.stderr.write(
    `Tributary needs Node ${MIN_NODE} or newer, but this is ${process.version}. Install it from https://nodejs.org, or with: nvm install ${MIN_NODE}\n`,
  );
  process.exitCode = 1;
} else {
  // Loaded only now: an older Node could not parse it.
  const { launch } = await import('../src/local/demo/launch.ts');
  process.exit(await launch(await readOptions()));
}
