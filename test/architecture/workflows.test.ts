import { fileURLToPath } from 'node:url';
import { bundleWorkflowCode, DefaultLogger } from '@temporalio/worker';
import { FOLDER, filesAt, kebabCase, readText } from './project.ts';

/** Sources of the bundle: contracts, workflows, and the packages of Temporal's workflow library. */
const ALLOWED = [
  /^workflows\//,
  /^src\/contracts\//,
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
  expect(files).toEqual(expect.arrayContaining(['workflows/payout-lifecycle.ts', 'src/contracts/workflows.ts']));
  expect(files.filter((file) => !ALLOWED.some((path) => path.test(file)))).toEqual([]);
});

test('every workflow has a file of its name', () => {
  expect(exported.length).toBeGreaterThan(0);
  expect(exported.filter((name) => filesAt(`workflows/${kebabCase(name)}.ts`).length === 0)).toEqual([]);
});

test('every workflow that the relay or a Schedule starts is exported', () => {
  const started = filesAt('src/relay/*.ts', 'src/worker/*.ts').flatMap((path) =>
    [...readText(path).matchAll(/workflowType: '(\w+)'/g)].map(([, name = '']) => name),
  );
  expect(started.filter((name) => !exported.includes(name))).toEqual([]);
});

test('every workflow has recorded histories to replay', () => {
  expect(exported.filter((name) => filesAt(`test/histories/${name}/*.json`).length === 0)).toEqual([]);
});
