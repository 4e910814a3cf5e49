import { Command } from 'commander';
import type { Environment } from '../local/installation/system-settings.ts';
import { addAuditCommands } from './audit.ts';
import { addAuditLogCommand } from './audit-log.ts';
import { addBankFileCommands } from './bank-files.ts';
import { commandAdder } from './command.ts';
import { describeFailure } from './describe-failure.ts';
import { addDoctorCommand } from './doctor.ts';
import { addKeyCommands } from './keys.ts';
import { addLedgerCommands } from './ledger.ts';
import { addEncryptionCommands, addMailCommands, addOutboxCommands } from './maintenance.ts';
import { addPayoutCommands } from './payouts.ts';
import { addAffiliateCommands, addMerchantCommands, addPeopleCommands } from './people.ts';
import { addRailCommands } from './rails.ts';
import { addReconciliationCommands } from './reconciliation.ts';
import { addStripeCommands } from './stripe.ts';
import { addTemporalCommands } from './temporal.ts';
import { addVersionCommands } from './temporal-version.ts';

const GROUPS = [
  addMerchantCommands,
  addAffiliateCommands,
  addKeyCommands,
  addPayoutCommands,
  addBankFileCommands,
  addReconciliationCommands,
  addPeopleCommands,
  addStripeCommands,
  addLedgerCommands,
  addOutboxCommands,
  addMailCommands,
  addAuditCommands,
  addAuditLogCommand,
  addEncryptionCommands,
  addTemporalCommands,
  addVersionCommands,
];

/** All commands. */
export const adminProgram = (env: Environment): Command => {
  const program = new Command('admin')
    .description(
      'Admin commands. Settings come from the environment or, without DATABASE_URL, from the system that npm start runs. Output is JSON.',
    )
    .exitOverride()
    .showSuggestionAfterError(false)
    .configureOutput({ outputError: (text, write) => write(`${text.trim().replace(/\s+/g, ' ')}\n`) });
  for (const addGroup of GROUPS) addGroup(program, commandAdder(env));
  addRailCommands(program, commandAdder(env), env);
  addDoctorCommand(program, env);
  return program;
};

/** Runs the command that the arguments of the process name. Errors become one line on standard error and exit code 1. */
export const runAdmin = async (env: Environment): Promise<void> => {
  try {
    await adminProgram(env).parseAsync();
  } catch (error) {
    const failure = describeFailure(error);
    if (failure.text !== '') process.stderr.write(`${failure.text}\n`);
    process.exitCode = failure.exitCode;
  }
};
