import { fileURLToPath } from 'node:url';
import { bundleWorkflowCode, DefaultLogger } from '@temporalio/worker';
import { FOLDER, filesAt, readText } from './project.ts';

/** Sources of the bundle: ours, and the packages that Temporal's own workflow library is made of. */
const MAY_BE_INSIDE = [
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

test('the workflow bundle builds, and nothing is inside but contracts and Temporal', async () => {
  const { code } = await bundleWorkflowCode({
    workflowsPath: fileURLToPath(new URL('../../workflows/index.ts', import.meta.url)),
    logger: new DefaultLogger('WARN', () => undefined),
  });
  const map = JSON.parse(Buffer.from(code.slice(code.lastIndexOf('base64,') + 'base64,'.length), 'base64').toString()) as {
    sources: string[];
  };
  const files = map.sources.map((source) => source.replace(FOLDER, ''));
  expect(files).toEqual(expect.arrayContaining(['workflows/payout-lifecycle.ts', 'src/contracts/workflows.ts']));
  expect(files.filter((file) => !MAY_BE_INSIDE.some((path) => path.test(file)))).toEqual([]);
});

test('every story has a file of its own name', () => {
  const kebab = (name: string) => name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  expect(exported.length).toBeGreaterThan(0);
  expect(exported.filter((name) => filesAt(`workflows/${kebab(name)}.ts`).length === 0)).toEqual([]);
});

test('every story that the relay or a schedule starts is registered', () => {
  const started = filesAt('src/relay/*.ts', 'src/worker/*.ts').flatMap((path) =>
    [...readText(path).matchAll(/workflowType: '(\w+)'/g)].map(([, name = '']) => name),
  );
  expect(started.filter((name) => !exported.includes(name))).toEqual([]);
});

test('every registered story has recorded histories, so that a change of it is replayed', () => {
  expect(exported.filter((name) => filesAt(`test/histories/${name}/*.json`).length === 0)).toEqual([]);
});
