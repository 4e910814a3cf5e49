import closeWithGrace from 'close-with-grace';
import { createSandboxProvider } from '../src/local/sandbox-provider/server.ts';
import { readSandboxSettings } from '../src/local/sandbox-provider/settings.ts';
import { listenOn } from '../src/platform/http/listen-on.ts';
import { createLogger } from '../src/platform/logger.ts';
import { exitOnStartupError, orExit } from '../src/platform/startup-error.ts';

const settings = orExit(() => readSandboxSettings(process.env));
const log = createLogger({ level: settings.LOG_LEVEL, process: 'sandbox' });
const provider = createSandboxProvider(settings, log);

const address = { host: '127.0.0.1', port: settings.SANDBOX_PORT };
const url = await listenOn(provider, address, 'SANDBOX_PORT').catch(exitOnStartupError);
// Printed at every log level: a caller that asked for port 0 reads the address here.
process.stdout.write(`${JSON.stringify({ msg: 'sandbox provider listening', url })}\n`);

closeWithGrace({ delay: 8_000, logger: log }, async ({ err }) => {
  if (err) log.error({ err }, 'sandbox provider stops after an uncaught error');
  await provider.close();
});
