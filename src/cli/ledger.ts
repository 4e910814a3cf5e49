import { verifyLedger } from '../domains/ledger/index.ts';
import type { AddCommands } from './command.ts';
import { operatorContext } from './operator.ts';
import { uuid } from './options.ts';

export const addLedgerCommands: AddCommands = (program, add) => {
  const ledger = program.command('ledger').description('Ledger commands').copyInheritedSettings(program);
  add<{ affiliate?: string }>(ledger, {
    name: 'verify',
    summary: 'Recompute all balances from their entries; exit code 1 if they differ',
    async run(runtime, { affiliate }) {
      const findings = await verifyLedger(operatorContext(runtime), { affiliateId: affiliate });
      return { ok: findings.length === 0, findings };
    },
  }).option('--affiliate <id>', 'Only the balance of this affiliate', uuid);
};
