import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FOLDER } from './project.ts';

const FILES = ['docker-compose.yml', 'Dockerfile', 'deploy/pin-images.sh'];
const digestOf = (image: string): string => `sha256:${Buffer.from(image).toString('hex').padEnd(64, '0').slice(0, 64)}`;

/** Answers like Docker Hub: a digest for whoever brings the token of the repository. Without `missing`, it has every image. */
const openRegistry = async (missing = '') => {
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '', `http://${request.headers.host}`);
    if (url.pathname === '/token') return response.end(JSON.stringify({ token: url.searchParams.get('scope') }));
    const [, repository = '', tag] = /^\/v2\/(.+)\/manifests\/(.+)$/.exec(url.pathname) ?? [];
    if (request.headers.authorization !== `Bearer repository:${repository}:pull`) {
      response.setHeader(
        'www-authenticate',
        `Bearer realm="${url.origin}/token",service="test",scope="repository:${repository}:pull"`,
      );
      return response.writeHead(401).end();
    }
    if (repository === missing || !request.headers.accept?.includes('image.index')) return response.writeHead(404).end();
    return response.setHeader('docker-content-digest', digestOf(`${repository}:${tag}`)).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close: () => server.close() };
};

const inCopy = async (work: (folder: string, run: (registry: string) => Promise<string>) => Promise<void>): Promise<void> => {
  const folder = mkdtempSync(join(tmpdir(), 'tributary-images-'));
  mkdirSync(join(folder, 'deploy'));
  for (const file of FILES) cpSync(join(FOLDER, file), join(folder, file));
  const run = (registry: string) =>
    new Promise<string>((resolve) => {
      const env = { PATH: process.env['PATH'], REGISTRY_URL: registry };
      execFile('sh', [join(folder, 'deploy/pin-images.sh')], { env, timeout: 30_000 }, (error, out, err) =>
        resolve(`${error?.code ?? 0} ${out}${err}`),
      );
    });
  await work(folder, run).finally(() => rmSync(folder, { recursive: true }));
};

const read = (folder: string, file: string): string => readFileSync(join(folder, file), 'utf8');

test('SE8: the digests of all images are written after their tags; a second run replaces them', async () => {
  const registry = await openRegistry();
  await inCopy(async (folder, run) => {
    expect(await run(registry.url)).toMatch(/^0 [\s\S]*The digests were written into docker-compose\.yml Dockerfile\n$/);
    const [compose, dockerfile] = [read(folder, 'docker-compose.yml'), read(folder, 'Dockerfile')];
    expect(compose).toContain(`image: postgres:18.4@${digestOf('library/postgres:18.4')}\n`);
    expect(dockerfile).toMatch(/^FROM node:[\w.-]+@sha256:\w{64} AS build$/m);
    const images = [...compose.matchAll(/^ +image: (\S+:\d\S*)$/gm), ...dockerfile.matchAll(/^FROM (\S+)/gm)];
    expect(images.filter(([, image = '']) => !/@sha256:\w{64}$/.test(image))).toEqual([]);
    expect(compose.replaceAll(/@sha256:\w{64}/g, '')).toBe(read(FOLDER, 'docker-compose.yml').replaceAll(/@sha256:\w{64}/g, ''));
    await run(registry.url);
    expect([read(folder, 'docker-compose.yml'), read(folder, 'Dockerfile')]).toEqual([compose, dockerfile]);
  });
  registry.close();
});

test('SE8: without a digest of every image nothing is changed, and the reason is said', async () => {
  const registry = await openRegistry('temporalio/ui');
  await inCopy(async (folder, run) => {
    for (const url of [registry.url, 'http://127.0.0.1:9']) {
      expect(await run(url)).toMatch(new RegExp(`^1 [\\s\\S]*${url} gave no digest of \\S+: nothing was changed`));
      for (const file of FILES) expect(read(folder, file)).toBe(read(FOLDER, file));
    }
  });
  registry.close();
});
