import { execFileSync } from 'node:child_process';
import { chmodSync, copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'yaml';
import { FOLDER, readText } from './project.ts';

const compose = parse(readText('docker-compose.yml'), { merge: true }) as {
  services: Record<string, { image?: string; build?: string }>;
};

/** In place of the program: writes down its arguments, with the version that is in `.env`. */
const RECORDER = `#!/bin/sh
echo "$(sed -n 's/^TRIBUTARY_VERSION=//p' .env) $(basename "$0") $*" >> calls`;

const blocks = [...readText('docs/upgrade.md').matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(([, code = '']) => code);

/** The calls of all blocks, one after the other in one shell, in a folder that runs the version 0.0.9. */
const runPage = (): string[] => {
  const folder = mkdtempSync(join(tmpdir(), 'tributary-upgrade-'));
  try {
    copyFileSync(join(FOLDER, 'package.json'), join(folder, 'package.json'));
    writeFileSync(join(folder, '.env'), 'TRIBUTARY_VERSION=0.0.9\nENCRYPTION_KEYS=k1:kept\n', { mode: 0o600 });
    for (const name of ['docker', 'helm', 'kubectl']) {
      writeFileSync(join(folder, name), RECORDER);
      chmodSync(join(folder, name), 0o755);
    }
    const env = { PATH: `${folder}:${process.env['PATH']}` };
    execFileSync('sh', ['-eu', '-c', blocks.join('\n')], { cwd: folder, env, timeout: 10_000 });
    expect(readFileSync(join(folder, '.env'), 'utf8')).toBe('TRIBUTARY_VERSION=0.0.9\nENCRYPTION_KEYS=k1:kept\n');
    return readFileSync(join(folder, 'calls'), 'utf8').trim().split('\n');
  } finally {
    rmSync(folder, { recursive: true });
  }
};

test('IN7: the image that Docker Compose runs has a version, and never the latest one', () => {
  const ours = Object.values(compose.services).filter(({ build }) => build !== undefined);
  expect(ours.length).toBeGreaterThan(5);
  expect(new Set(ours.map(({ image }) => image?.replace(/:\?.*\}$/, '}')))).toEqual(new Set([`tributary:\${TRIBUTARY_VERSION}`]));
});

test('IN7: the commands of the upgrade page run as printed: checks before containers, and back to the version before', () => {
  const { version } = JSON.parse(readText('package.json')) as { version: string };
  const calls = runPage();
  expect(calls.slice(0, 4)).toEqual([
    `${version} docker compose build`,
    `${version} docker compose run --rm migrate`,
    `${version} docker compose run --rm replay-histories`,
    `${version} docker compose up -d`,
  ]);
  expect(calls.filter((call) => call.endsWith('compose up -d'))).toEqual([
    `${version} docker compose up -d`,
    '0.0.9 docker compose up -d',
  ]);
  expect(calls.find((call) => call.includes('helm upgrade'))).toContain(`image.tag=${version} `);
  const services = calls.flatMap((call) => /compose run --rm (\S+)/.exec(call)?.[1] ?? []);
  expect(services.filter((name) => !(name in compose.services))).toEqual([]);
});
