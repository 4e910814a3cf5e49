import { verifyLedger } from '../domains/ledger/index.ts';
import type { AddCommands } from './command.ts';
import { operatorContext } from './operator.ts';

export const addLedgerCommands: AddCommands = (program, add) => {
  const ledger = program.command('ledger').description('Ledger commands').copyInheritedSettings(program);
  add(ledger, {
    name: 'verify',
    summary: 'Recompute all balances from their entries; exit code 1 if they differ',
    async run(runtime) {
      const findings = await verifyLedger(operatorContext(runtime));
      return { ok: findings.length === 0, findings };
    },
  });
};
