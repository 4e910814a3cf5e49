import closeWithGrace from 'close-with-grace';
import { createPayPalDouble } from '../src/local/paypal-double/server.ts';
import { readPayPalDoubleSettings } from '../src/local/paypal-double/settings.ts';
import { listenOn } from '../src/platform/http/listen-on.ts';
import { createLogger } from '../src/platform/logger.ts';
import { exitOnStartupError, orExit } from '../src/platform/startup-error.ts';

const settings = orExit(() => readPayPalDoubleSettings(process.env));
const log = createLogger({ level: settings.LOG_LEVEL, process: 'paypal-double' });
const double = await createPayPalDouble(settings, log);

const address = { host: '127.0.0.1', port: settings.PAYPAL_DOUBLE_PORT };
const url = await listenOn(double, address, 'PAYPAL_DOUBLE_PORT').catch(exitOnStartupError);
// Printed at every log level: a caller that asked for port 0 reads the address here.
process.stdout.write(`${JSON.stringify({ msg: 'paypal double listening', url })}\n`);

closeWithGrace({ delay: 8_000, logger: log }, async ({ err }) => {
  if (err) log.error({ err }, 'paypal double stops after an uncaught error');
  await double.close();
});
