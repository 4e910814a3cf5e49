import { readFile, stat } from 'node:fs/promises';
import { type Command, Option } from 'commander';
import { ACCOUNT_FORMS, FORM_RAILS } from '../contracts/account-forms.ts';
import type { AccountField } from '../contracts/rail-accounts.ts';
import { labelOf } from '../contracts/rails.ts';
import { checkCurrentAccount, checkRailAccount, type WalkedStep, walkSandbox } from '../domains/payouts/index.ts';
import type { Environment } from '../local/installation/system-settings.ts';
import type { Runtime } from '../runtime.ts';
import type { AddCommand } from './command.ts';
import { operatorContext } from './operator.ts';
import { usage, uuid } from './options.ts';

type FormRail = (typeof FORM_RAILS)[number];

interface CheckOptions {
  rail: FormRail;
  merchant?: string;
  sandbox?: true;
  account?: string;
}

const MAX_FILE_BYTES = 65_536;
const SANDBOX = 'sandbox';

const variableOf = ({ name }: AccountField): string => `RAIL_CHECK_${name.replace(/[A-Z]/g, '_$&').toUpperCase()}`;

/** Fields that somebody has to enter; that it is an account of the sandbox follows from the command. */
const credentialsOf = (rail: FormRail): readonly AccountField[] =>
  ACCOUNT_FORMS[rail].filter(({ isRequired, kind }: AccountField) => isRequired && kind !== 'choice');

/** Choices that say that no money moves. */
const ofSandbox = (rail: FormRail): Record<string, string> => {
  const fields: readonly AccountField[] = ACCOUNT_FORMS[rail];
  return Object.fromEntries(
    fields.flatMap(({ name, options = [] }) => (options.some(({ value }) => value === SANDBOX) ? [[name, SANDBOX]] : [])),
  );
};

const readAccountFile = async (path: string): Promise<Record<string, unknown>> => {
  if ((await stat(path)).size > MAX_FILE_BYTES) throw new Error(`${path} is larger than ${MAX_FILE_BYTES} bytes`);
  const text = await readFile(path, 'utf8');
  try {
    return Object(JSON.parse(text));
  } catch {
    // The error of the parser quotes what it read.
    throw new Error(`${path} is no JSON object with the fields of the account`);
  }
};

/** Never from the arguments, which other users of the machine see. */
const readSandboxAccount = async (env: Environment, { rail, account }: CheckOptions): Promise<Record<string, unknown>> => {
  if (account !== undefined) return { ...ofSandbox(rail), ...(await readAccountFile(account)) };
  const given = credentialsOf(rail).map((field) => [field.name, env[variableOf(field)]] as const);
  if (given.some(([, value]) => value === undefined || value === '')) {
    const variables = credentialsOf(rail).map(variableOf);
    throw usage(`set ${variables.join(' and ')} in the environment, or pass --account <file> with the fields as JSON`);
  }
  return { ...ofSandbox(rail), ...Object.fromEntries(given) };
};

const walk = async (runtime: Runtime, env: Environment, options: CheckOptions): Promise<object> => {
  const { rail } = options;
  const given = await readSandboxAccount(env, options);
  const walked = walkSandbox(operatorContext(runtime), rail, given);
  if (walked === null) return { ok: true, rail, steps: [], note: `${labelOf(rail)} documents no test values to walk` };
  const steps: WalkedStep[] = [];
  for await (const step of walked) steps.push(step);
  return { ok: steps.every(({ ok }) => ok), rail, steps };
};

const check = async (runtime: Runtime, { rail, merchant: merchantId }: CheckOptions): Promise<object> => {
  if (merchantId === undefined) throw usage('pass --merchant <id>, or --sandbox');
  const ctx = operatorContext(runtime);
  const checked = await checkCurrentAccount(ctx, { merchantId, rail });
  const { status, findings, held, balances, checkedAt, unansweredAt } = await checkRailAccount(
    ctx,
    { merchantId, rail },
    checked,
  );
  return { ok: status === 'ready' && unansweredAt === null, rail, status, findings, held, balances, checkedAt, unansweredAt };
};

export const addRailCommands = (program: Command, add: AddCommand, env: Environment): void => {
  add<CheckOptions>(program, {
    name: 'rail-check',
    summary:
      "Ask a provider whether a merchant's account can pay, or walk the test values of its sandbox; exit code 1 if not all is well",
    run: (runtime, options) => (options.sandbox ? walk(runtime, env, options) : check(runtime, options)),
  })
    .addOption(new Option('--rail <rail>', 'Provider').choices([...FORM_RAILS]).makeOptionMandatory())
    .option('--merchant <id>', 'Whose account is checked; the result is stored, and a hold may end', uuid)
    .option('--sandbox', "Send the provider's documented test values to its sandbox, with an account that is stored nowhere")
    .option('--account <file>', 'With --sandbox: JSON file with the fields of the account (default: RAIL_CHECK_… variables)');
};
