import { writeFile } from 'node:fs/promises';
import { Command, InvalidArgumentError } from 'commander';
import { closeTestStack, openTestStack } from '../support/stack/test-stack.ts';
import { describeReport } from './describe-report.ts';
import { drawMoney } from './money-chart.ts';
import { type SimulationReport, simulate } from './simulate.ts';

/** npm starts the program in the folder of the project. */
const IMAGE = 'docs/images/simulation.svg';

const integer = (min: number, max: number) => (text: string) => {
  const value = Number(text);
  if (!Number.isInteger(value) || value < min || value > max)
    throw new InvalidArgumentError(`must be an integer from ${min} to ${max}`);
  return value;
};

interface Options {
  days: number;
  seed: number;
  kills: number;
  image: string;
}

const options = new Command('npm run simulate --')
  .description(
    'Plays the business of four merchants on throwaway servers and real processes, with days of two seconds: sales, refunds, fraud, payouts, outages. Then audits the result; exit code 1 if an invariant is violated or an event was not delivered.',
  )
  .option('--days <number>', 'days to play, from 1 to 365', integer(1, 365), 90)
  .option('--seed <number>', 'seed of all random decisions', integer(0, 1_000_000), 1)
  .option('--kills <number>', 'how often a worker or the API is killed with SIGKILL', integer(0, 50), 3)
  .option('--image <file>', 'where to draw the money by state over time', IMAGE)
  .showSuggestionAfterError(false)
  .parse()
  .opts<Options>();

const log = (line: string): void => void process.stdout.write(`${line}\n`);

const draw = async ({ history }: SimulationReport): Promise<void> => {
  const { days, seed, kills, image } = options;
  const title = 'Commissions by state';
  const subtitle = `${days} simulated days, seed ${seed}, processes killed: ${kills}; after the last sale, what is due is paid`;
  await writeFile(image, drawMoney({ days: history, title, subtitle, closedFrom: days }));
  log(`Image: ${image}`);
};

let isOk = false;
try {
  await openTestStack();
  const report = await simulate({ ...options, onProgress: log });
  log(describeReport(report));
  await draw(report);
  isOk = report.audit.ok && report.webhooks.undelivered === 0;
} finally {
  await closeTestStack();
}
log(`${isOk ? 'Passed' : 'FAILED'} in ${Math.round(process.uptime())} s`);
process.exit(isOk ? 0 : 1);
