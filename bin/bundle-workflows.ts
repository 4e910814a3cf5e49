import { writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { bundleWorkflowCode } from '@temporalio/worker';

const [target] = process.argv.slice(2);
if (!target) throw new Error('Usage: node bin/bundle-workflows.ts <output file>');
const workflowsPath = fileURLToPath(new URL('../workflows/index.ts', import.meta.url));
const { code } = await bundleWorkflowCode({ workflowsPath });
await writeFile(target, code);
process.stdout.write(`${target}: ${code.length} characters. Start workers with WORKFLOW_BUNDLE=${target}\n`);
