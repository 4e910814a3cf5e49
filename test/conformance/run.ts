import { Command } from 'commander';
import { judgePayPal } from './paypal.ts';

const options = new Command('conformance')
  .description('Judges our requests and the answers of doubles by the OpenAPI files of providers.')
  .requiredOption('--paypal-openapi <file>', 'payments_payouts_batch_v1.json of github.com/paypal/paypal-rest-api-specifications')
  .option('--plant', 'lets the double give a state that PayPal does not have: it must be found')
  .parse()
  .opts<{ paypalOpenapi: string; plant?: boolean }>();

const verdicts = await judgePayPal(options.paypalOpenapi, { plant: options.plant === true });
const all = [...verdicts.values()];
for (const [operation, { exchanges, violations }] of verdicts) {
  process.stdout.write(
    `${operation.padEnd(24)} ${String(exchanges).padStart(5)} exchanges ${String(violations.length).padStart(4)} violations\n`,
  );
  for (const violation of violations) process.stdout.write(`  ${violation}\n`);
}
const unused = [...verdicts].filter(([, { exchanges }]) => exchanges === 0).map(([operation]) => operation);
for (const operation of unused) process.stdout.write(`${operation} was never used\n`);
process.exitCode = all.some(({ violations }) => violations.length > 0) || unused.length > 0 ? 1 : 0;
