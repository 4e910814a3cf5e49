import type { LaunchOptions } from '../src/local/demo/launch.ts';

const MIN_NODE = 24;
const MAX_PORT = 65_535;

const readOptions = async (): Promise<LaunchOptions> => {
  const { Command, InvalidArgumentError } = await import('commander');
  const toPort = (text: string): number => {
    const port = Number(text);
    if (/^\d+$/.test(text) && port >= 1 && port <= MAX_PORT) return port;
    throw new InvalidArgumentError(`It must be a number from 1 to ${MAX_PORT}.`);
  };
  const command = new Command('npm start --')
    .description('Starts the entire system on this machine and runs an end-to-end demo.')
    .option('--once', 'exit after the demo, with 0 if it succeeded and 1 if not', false)
    .option('--port <number>', 'port of the API (default: 3000, or the next free one)', toPort)
    .option('--data <folder>', 'data folder (default: TRIBUTARY_DATA, or .data)')
    .showSuggestionAfterError(false)
    .parse();
  const { once, port = null, data } = command.opts<{ once: boolean; port?: number; data?: string }>();
  return { once, port, env: data === undefined ? process.env : { ...process.env, TRIBUTARY_DATA: data } };
};

const start = async (options: LaunchOptions): Promise<number> => {
  const { findRunningSystem } = await import('../src/local/demo/running-system.ts');
  const running = await findRunningSystem(options);
  if (running !== null) {
    process.stdout.write(`${running.text}\n`);
    return running.isWanted ? 0 : 1;
  }
  process.stdout.write('Starting Tributary: a few seconds, and some minutes when Temporal has to be built first\n');
  const { launch } = await import('../src/local/demo/launch.ts');
  return launch(options);
};

/** Most of them are no production dependencies. */
const explainMissingPackage = (error: unknown): never => {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code !== 'ERR_MODULE_NOT_FOUND') throw error;
  process.stderr.write(
    `A package is missing (${message.split(' imported from ')[0]}). Run npm ci without --omit and without NODE_ENV=production, then start again.\n`,
  );
  process.exit(1);
};

if (Number(process.versions.node.split('.')[0]) < MIN_NODE) {
  process.stderr.write(
    `Tributary needs Node ${MIN_NODE} or newer, but this is ${process.version}. Install it from https://nodejs.org, or with: nvm install ${MIN_NODE}\n`,
  );
  process.exitCode = 1;
} else {
  // Loaded only now: an older Node could not parse it.
  process.exit(await readOptions().then(start).catch(explainMissingPackage));
}
