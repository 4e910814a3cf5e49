import { listOpenSaleProblems, resolveSaleProblem } from '../domains/conversions/index.ts';
import { setStripeSecret } from '../domains/programs/index.ts';
import type { AddCommands } from './command.ts';
import { operatorContext } from './operator.ts';
import { rowLimit, shortLine, stripeSecret, usage, uuid } from './options.ts';

export const addStripeCommands: AddCommands = (program, add) => {
  add<{ program: string; secret?: string }>(program, {
    name: 'set-stripe-secret',
    summary: "Store the signing secret of a program's endpoint at Stripe; an earlier secret is replaced",
    async run(runtime, { program: programId, secret }) {
      return setStripeSecret(operatorContext(runtime), { programId, secret: secret ?? (await readSecret()) });
    },
  })
    .requiredOption('--program <id>', 'Program ID', uuid)
    .option(
      '--secret <whsec_…>',
      'Signing secret (default: read from standard input, which leaves no trace in the shell)',
      stripeSecret,
    );
  add<{ limit: number }>(program, {
    name: 'list-sale-problems',
    summary: 'List events of payment systems that a person has to look at, oldest first',
    async run(runtime, options) {
      return listOpenSaleProblems(operatorContext(runtime), options);
    },
  }).option('--limit <n>', 'Number of events', rowLimit, 100);
  add<{ id: string; note: string }>(program, {
    name: 'resolve-sale-problem',
    summary: 'Mark an event of a payment system as looked at',
    async run(runtime, options) {
      return resolveSaleProblem(operatorContext(runtime), options);
    },
  })
    .requiredOption('--id <id>', 'ID of the problem', uuid)
    .requiredOption('--note <text>', 'What was found and done', shortLine);
};

const MAX_INPUT_BYTES = 1_000;

const readSecret = async (): Promise<string> => {
  let text = '';
  for await (const chunk of process.stdin) {
    text += String(chunk);
    if (text.includes('\n') || text.length > MAX_INPUT_BYTES) break;
  }
  try {
    return stripeSecret(text.trim());
  } catch {
    throw usage('standard input must be a signing secret of Stripe: whsec_ and letters and digits');
  }
};
