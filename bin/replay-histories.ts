import { fileURLToPath } from 'node:url';
import { loadConfig, temporalAccess } from '../src/config.ts';
import { openTemporal } from '../src/relay/temporal-client.ts';
import { replayOpenHistories } from '../src/worker/replay-open-histories.ts';

// Run with the code of a new version before its workers are started.
const config = loadConfig(process.env);
const temporal = openTemporal(temporalAccess(config));
const workflows = config.WORKFLOW_BUNDLE
  ? { workflowBundle: { codePath: config.WORKFLOW_BUNDLE } }
  : { workflowsPath: fileURLToPath(new URL('../workflows/index.ts', import.meta.url)) };
const report = await replayOpenHistories({
  client: temporal.client,
  queuePrefix: config.TEMPORAL_QUEUE_PREFIX,
  workflows,
});
await temporal.close();
process.stdout.write(`${JSON.stringify(report, null, 2)}\n`);
if (!report.ok) process.exitCode = 1;
