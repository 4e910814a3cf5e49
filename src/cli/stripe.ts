import { setStripeSecret } from '../domains/programs/index.ts';
import type { AddCommands } from './command.ts';
import { operatorContext } from './operator.ts';
import { stripeSecret, usage, uuid } from './options.ts';

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
