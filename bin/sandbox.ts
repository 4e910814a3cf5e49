import { createLogger } from '../src/platform/logger.ts';
import { createSandboxProvider } from '../src/sandbox-provider/server.ts';
import { readSandboxSettings } from '../src/sandbox-provider/settings.ts';

const settings = readSandboxSettings(process.env);
const log = createLogger({ level: settings.LOG_LEVEL, process: 'sandbox' });
const provider = createSandboxProvider(settings, log);

const stop = (): void => {
  provider.close().then(
    () => process.exit(0),
    () => process.exit(1),
  );
};
process.once('SIGTERM', stop);
process.once('SIGINT', stop);

const url = await provider.listen({ host: '127.0.0.1', port: settings.SANDBOX_PORT });
// Printed whatever the log level: who asked for port 0 reads the address here.
process.stdout.write(`${JSON.stringify({ msg: 'the sandbox provider listens', url })}\n`);
