import { temporalAccess } from '../config.ts';
import type { AddCommands } from './command.ts';
import { operatorContext } from './operator.ts';

export const addAuditCommands: AddCommands = (program, add) => {
  add(program, {
    name: 'audit',
    summary: 'Check all consistency invariants (lost, duplicated or stuck work); exit code 1 if one is violated',
    async run(runtime) {
      // Loaded only here: the other commands start in half the time without Temporal's client.
      const { runAudit, sandboxTransfers } = await import('../audit/index.ts');
      const { openTemporal } = await import('../temporal/client.ts');
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
