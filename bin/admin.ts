import { Command, Option } from 'commander';
import { describeFailure } from '../src/cli/describe-failure.ts';
import { assertKeyOwner, openOperatorRuntime, operatorContext, untilRedisListens } from '../src/cli/operator.ts';
import {
  email,
  type KeyOptions,
  moment,
  ownerAndType,
  perMinute,
  perMinuteOrTier,
  scopeList,
  shortLine,
  TYPE_WORDS,
  uuid,
} from '../src/cli/options.ts';
import { PRESETS } from '../src/contracts/scopes.ts';
import { dataFolderOf } from '../src/demo/data-folder.ts';
import { createAffiliate } from '../src/domains/affiliates/index.ts';
import { createApiKey, revokeApiKey, setApiKeyRateLimit } from '../src/domains/auth/index.ts';
import { verifyLedger } from '../src/domains/ledger/index.ts';
import { createMerchant } from '../src/domains/merchants/index.ts';
import type { Runtime } from '../src/runtime.ts';

const program = new Command('admin')
  .description(
    'The operator’s commands. They read the environment or, without DATABASE_URL, the system of npm start. Answers are JSON.',
  )
  .exitOverride()
  .showSuggestionAfterError(false)
  .configureOutput({ outputError: (text, write) => write(`${text.trim().replace(/\s+/g, ' ')}\n`) });

/** Every command takes `--json`: one line instead of a laid-out text. */
const command = <Options>(
  parent: Command,
  name: string,
  summary: string,
  run: (runtime: Runtime, options: Options) => Promise<object>,
) =>
  parent
    .command(name)
    .description(summary)
    .option('--json', 'one line of JSON')
    .copyInheritedSettings(program)
    .action(async (options: Options & { json?: true }) => {
      const runtime = await openOperatorRuntime(process.env, dataFolderOf(process.env));
      try {
        const answer = await run(runtime, options);
        process.stdout.write(`${JSON.stringify(answer, null, options.json ? 0 : 2)}\n`);
      } finally {
        await runtime.close();
      }
    });

command<{ company: string; email: string }>(program, 'create-merchant', 'make a merchant', async (runtime, options) => {
  const merchant = await createMerchant(operatorContext(runtime), { companyName: options.company, email: options.email });
  return { merchantId: merchant.id };
})
  .requiredOption('--company <name>', 'name of the company', shortLine)
  .requiredOption('--email <address>', 'where the merchant gets mail', email);

interface AffiliateOptions {
  program: string;
  email: string;
  name: string;
  code?: string;
  paypalEmail?: string;
  bankIban?: string;
  bankHolder?: string;
}

command<AffiliateOptions>(program, 'create-affiliate', 'make an approved member of a program', (runtime, options) =>
  createAffiliate(operatorContext(runtime), {
    programId: options.program,
    email: options.email,
    name: options.name,
    code: options.code,
    payout: { paypalEmail: options.paypalEmail, bankIban: options.bankIban, bankAccountHolder: options.bankHolder },
    source: 'import',
  }),
)
  .requiredOption('--program <id>', 'the program', uuid)
  .requiredOption('--email <address>', 'the person; one profile per address', email)
  .requiredOption('--name <name>', 'the person’s name', shortLine)
  .option('--code <code>', 'referral code; drawn from the name when left out')
  .option('--paypal-email <address>', 'to be paid by PayPal', email)
  .option('--bank-iban <iban>', 'to be paid by bank transfer')
  .option('--bank-holder <name>', 'holder of the bank account');

command<KeyOptions>(program, 'create-key', 'issue an API key; its value is shown this once', async (runtime, options) => {
  const { owner, keyType } = ownerAndType(options);
  const ctx = operatorContext(runtime);
  await assertKeyOwner(ctx, owner);
  const { name, scopes, preset, rateLimit, expiresAt } = options;
  const { key, value } = await createApiKey(ctx, { keyType, ownerId: owner.id, name, scopes, preset, rateLimit, expiresAt });
  return { id: key.id, value };
})
  .option('--merchant <id>', 'the merchant who owns it', uuid)
  .option('--affiliate <profile id>', 'the affiliate profile that owns it', uuid)
  .addOption(new Option('--type <type>', 'live, aff or onb; default: by the owner').choices([...TYPE_WORDS.keys()]))
  .addOption(new Option('--preset <preset>', 'a named set of scopes').choices([...PRESETS]).conflicts('scopes'))
  .option('--scopes <a,b>', 'scopes; all of the type when left out', scopeList)
  .option('--rate-limit <n>', 'requests a minute instead of those of the billing tier', perMinute)
  .option('--expires-at <time>', 'when it ends by itself', moment)
  .option('--name <name>', 'a name to know it by', shortLine, 'Operator');

command<{ id: string }>(program, 'revoke-key', 'end an API key at once, on all running processes', async (runtime, options) => {
  const isHeard = await untilRedisListens(runtime);
  const key = await revokeApiKey(operatorContext(runtime), options);
  if (!isHeard) process.stderr.write('Redis does not answer: running processes may accept the key for 5 more seconds\n');
  return { id: key.id, revokedAt: key.revokedAt?.toISOString() };
}).requiredOption('--id <id>', 'the key’s id', uuid);

interface RateOptions {
  id: string;
  rateLimit: number | 'tier';
}

command<RateOptions>(
  program,
  'set-rate-limit',
  'change the rate of an API key, on all running processes',
  async (runtime, options) => {
    const isHeard = await untilRedisListens(runtime);
    const rateLimit = options.rateLimit === 'tier' ? null : options.rateLimit;
    const key = await setApiKeyRateLimit(operatorContext(runtime), { id: options.id, rateLimit });
    if (!isHeard) process.stderr.write('Redis does not answer: running processes may use the old rate for 5 more seconds\n');
    return { id: key.id, rateLimit: key.rateLimit };
  },
)
  .requiredOption('--id <id>', 'the key’s id', uuid)
  .requiredOption('--rate-limit <n>', 'requests a minute, or "tier" for those of the billing tier', perMinuteOrTier);

const ledger = program.command('ledger').description('the books').copyInheritedSettings(program);

command(ledger, 'verify', 'prove the books from their entries; exit code 1 when something is found', async (runtime) => {
  const findings = await verifyLedger(operatorContext(runtime));
  if (findings.length > 0) process.exitCode = 1;
  return { ok: findings.length === 0, findings };
});

command(
  program,
  'audit',
  'prove that nothing was lost, doubled or left lying; exit code 1 when something is found',
  async (runtime) => {
    // Loaded only here: the other commands start in half the time without Temporal's client.
    const { runAudit, sandboxTransfers } = await import('../src/audit/index.ts');
    const { openTemporal } = await import('../src/relay/temporal-client.ts');
    const {
      TEMPORAL_ADDRESS: address,
      TEMPORAL_NAMESPACE: namespace,
      TEMPORAL_API_KEY: apiKey,
      TEMPORAL_TLS: tls,
      ...config
    } = runtime.config;
    const { SANDBOX_URL: url, SANDBOX_API_KEY: sandboxKey } = config;
    const temporal = openTemporal({ address, namespace, apiKey, tls });
    try {
      const provider = url && sandboxKey ? sandboxTransfers({ url, apiKey: sandboxKey }) : null;
      const report = await runAudit({ ctx: operatorContext(runtime), temporal: temporal.client, provider });
      if (!report.ok) process.exitCode = 1;
      return report;
    } finally {
      await temporal.close();
    }
  },
);

try {
  await program.parseAsync();
} catch (error) {
  const failure = describeFailure(error);
  if (failure.text !== '') process.stderr.write(`${failure.text}\n`);
  process.exitCode = failure.exitCode;
}
