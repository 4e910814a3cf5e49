import closeWithGrace from 'close-with-grace';
import { createSandboxProvider } from '../src/local/sandbox-provider/server.ts';
import { readSandboxSettings } from '../src/local/sandbox-provider/settings.ts';
import { createLogger } from '../src/platform/logger.ts';

const settings = readSandboxSettings(process.env);
const log = createLogger({ level: settings.LOG_LEVEL, process: 'sandbox' });
const provider = createSandboxProvider(settings, log);

const url = await provider.listen({ host: '127.0.0.1', port: settings.SANDBOX_PORT });
// Printed at every log level: a caller that asked for port 0 reads the address here.
process.stdout.write(`${JSON.stringify({ msg: 'sandbox provider listening', url })}\n`);

closeWithGrace({ delay: 8_000, logger: log }, async ({ err }) => {
  if (err) log.error({ err }, 'sandbox provider stops after an uncaught error');
  await provider.close();
});
