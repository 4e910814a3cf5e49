import { temporalAccess } from '../config.ts';
import { verifyLedger } from '../domains/ledger/index.ts';
import type { AddCommands } from './command.ts';
import { operatorContext } from './operator.ts';
import { uuid } from './options.ts';

export const addAuditCommands: AddCommands = (program, add) => {
  add(program, {
    name: 'audit',
    summary: 'Check all consistency invariants (lost, duplicated or stuck work); exit code 1 if one is violated',
    async run(runtime) {
      // Loaded only here: the other commands start in half the time without Temporal's client.
      const { runAudit, sandboxTransfers } = await import('../audit/index.ts');
      const { openTemporal } = await import('../relay/temporal-client.ts');
      const { config } = runtime;
      const { SANDBOX_URL: url, SANDBOX_API_KEY: apiKey } = config;
      const temporal = openTemporal(temporalAccess(config));
      try {
        const provider = url && apiKey ? sandboxTransfers({ url, apiKey }) : null;
        return await runAudit({
          ctx: operatorContext(runtime),
          temporal: temporal.clients,
          queuePrefix: config.TEMPORAL_QUEUE_PREFIX,
          provider,
        });
      } finally {
        await temporal.close();
      }
    },
  });
};

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
