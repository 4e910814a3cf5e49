import { join } from 'node:path';
import { execa } from 'execa';

/** Benchmarks by their row in the table of quality goals; each is a file `<name>.bench.ts`. */
const BENCHMARKS: Readonly<Record<string, string>> = {
  P1: 'list-conversions',
  P2: 'constant-response',
  P3: 'response-writing',
  P6: 'idempotency-key',
  P7: 'idempotent-replay',
  P8: 'create-payout',
  P9: 'payout-lifecycle',
  P10: 'webhook-delivery',
  P11: 'webhook-latency',
  P12: 'outbox-relay',
  P13: 'rate-limit',
  P18: 'tenants',
  P19: 'tenants',
  P23: 'sale-events',
  P24: 'screening',
  P25: 'payout-run',
  P26: 'console-pages',
  P29: 'paypal-lifecycle',
};

/** Run only when they are selected or with `--quick`: they take longer than all others together. */
const LONG: Readonly<Record<string, string>> = { P14: 'growth', P15: 'growth', P20: 'memory', P27: 'actions' };
const ALL = { ...BENCHMARKS, ...LONG };

/** The name of the benchmark that an argument selects by number or by name, or undefined. */
const find = (argument: string): string | undefined =>
  ALL[argument.toUpperCase()] ?? Object.values(ALL).find((name) => name === argument);

const args = process.argv.slice(2);
const firstFlag = args.findIndex((arg) => arg.startsWith('-'));
const selected = firstFlag === -1 ? args : args.slice(0, firstFlag);
const flags = args.slice(selected.length);
const unknown = selected.filter((arg) => find(arg) === undefined);
if (unknown.length > 0) {
  const known = Object.entries(ALL).map(([number, name]) => `${number} ${name}`);
  process.stderr.write(`Unknown benchmark: ${unknown.join(', ')}. Available: ${known.join(', ')}\n`);
  process.exit(2);
}
const usual = Object.values(flags.includes('--quick') ? ALL : BENCHMARKS);
const names = new Set(selected.length === 0 ? usual : selected.flatMap((arg) => find(arg) ?? []));

let failed = 0;
for (const [at, name] of [...names].entries()) {
  process.stderr.write(`[${at + 1}/${names.size}] ${name}\n`);
  const file = join(import.meta.dirname, `${name}.bench.ts`);
  const result = await execa(process.execPath, [file, ...flags], { stdio: 'inherit', reject: false });
  if (result.failed) failed++;
}
// A missed floor and a benchmark that did not run both fail a release build.
process.exitCode = failed === 0 ? 0 : 1;
