import { fileURLToPath } from 'node:url';
import { bundleWorkflowCode, DefaultLogger } from '@temporalio/worker';
import { ALL_WORKFLOWS, WORKFLOWS } from '../../src/contracts/workflows/index.ts';
import { FOLDER, filesAt, kebabCase, readText } from './project.ts';

/** Sources of the bundle: contracts, texts, workflows, and the packages of Temporal's workflow library. */
const ALLOWED = [
  /^workflows\//,
  /^src\/contracts\//,
  /^src\/texts\//,
  /^node_modules\/@temporalio\/(workflow|common|internal-workflow-common|proto)\//,
  /^node_modules\/(long|ms|nexus-rpc)\//,
  /^(webpack\/|ignored\|)/,
];

const exported = [...readText('workflows/index.ts').matchAll(/export \{ (\w+)(?:, \w+)* \}/g)].flatMap(([line]) =>
  line
    .slice('export {'.length, -1)
    .split(',')
    .map((name) => name.trim()),
);

test('the workflow bundle contains only workflows, contracts and Temporal', async () => {
  const { code } = await bundleWorkflowCode({
    workflowsPath: fileURLToPath(new URL('../../workflows/index.ts', import.meta.url)),
    logger: new DefaultLogger('WARN', () => undefined),
  });
  const map = JSON.parse(Buffer.from(code.slice(code.lastIndexOf('base64,') + 'base64,'.length), 'base64').toString()) as {
    sources: string[];
  };
  const files = map.sources.map((source) => source.replace(FOLDER, ''));
  expect(files).toEqual(expect.arrayContaining(['workflows/payout-lifecycle.ts', 'src/contracts/workflows/payout-lifecycle.ts']));
  expect(files.filter((file) => !ALLOWED.some((path) => path.test(file)))).toEqual([]);
});

test('every workflow has a file of its name', () => {
  expect(exported.length).toBeGreaterThan(0);
  expect(exported.filter((name) => filesAt(`workflows/${kebabCase(name)}.ts`).length === 0)).toEqual([]);
});

test('every workflow that the relay or a Schedule starts is exported', () => {
  expect([...exported].sort()).toEqual(ALL_WORKFLOWS.map(({ type }) => type).sort());
  expect(Object.entries(WORKFLOWS).filter(([name, { type }]) => name !== type)).toEqual([]);
});

test('the table of the architecture lists every workflow with the queues of its activities', () => {
  const table = readText('docs/architecture.md');
  const missing = ALL_WORKFLOWS.filter(({ type, queues }) => {
    const rows = table.split('\n').filter((line) => line.startsWith(`| \`${type}\``));
    const cells = rows.map((row) => row.split(' | ')[2] ?? '');
    return !cells.some((cell) => queues.every((queue) => cell.includes(queue.replace(/^payouts-.+/, 'payouts-'))));
  });
  expect(missing.map(({ type }) => type)).toEqual([]);
});

test('every workflow has recorded histories to replay', () => {
  expect(exported.filter((name) => filesAt(`test/histories/*/${name}/*.json`).length === 0)).toEqual([]);
});
