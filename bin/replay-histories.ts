import { fileURLToPath } from 'node:url';
import { loadConfig, temporalAccess } from '../src/config.ts';
import { orExit } from '../src/platform/startup-error.ts';
import { distinctClients, openTemporal, withDeadline } from '../src/temporal/client.ts';
import { dataConverterOf } from '../src/temporal/payload-codec.ts';
import { replayOpenHistories } from '../src/worker/replay-open-histories.ts';

const WAIT_MS = 120_000;
const PAUSE_MS = 2_000;

// Run with the code of a new version before its workers are started.
const config = orExit(() => loadConfig(process.env));
const temporal = openTemporal(temporalAccess(config));
const { clients, connection } = temporal;
// Server and namespaces may be starting at the same time.
const end = Date.now() + WAIT_MS;
for (const client of distinctClients(clients)) {
  const { namespace } = client.options;
  for (;;) {
    try {
      await withDeadline(client, () => connection.workflowService.describeNamespace({ namespace }));
      break;
    } catch (error) {
      if (Date.now() > end) throw error;
      process.stderr.write(`waiting for the namespace ${namespace} at ${config.TEMPORAL_ADDRESS}\n`);
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
  }
}
const { TEMPORAL_PAYLOAD_KEYS: payloadKeys } = config;
const code = config.WORKFLOW_BUNDLE
  ? { workflowBundle: { codePath: config.WORKFLOW_BUNDLE } }
  : { workflowsPath: fileURLToPath(new URL('../workflows/index.ts', import.meta.url)) };
const report = await replayOpenHistories({
  clients,
  queuePrefix: config.TEMPORAL_QUEUE_PREFIX,
  workflows: { ...code, dataConverter: dataConverterOf(payloadKeys) },
});
await temporal.close();
process.stdout.write(`${JSON.stringify(report, null, 2)}\n`);
if (!report.ok) process.exitCode = 1;
