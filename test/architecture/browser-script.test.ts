import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { WARNINGS } from '../../src/domains/tracking/browser-script/script-config.ts';
import { FOLDER, readText } from './project.ts';

test('the minified browser script is current (npm run generate)', () => {
  const folder = mkdtempSync(join(tmpdir(), 'tributary-script-'));
  try {
    const outfile = join(folder, 'script.js');
    execFileSync(process.execPath, [join(FOLDER, 'bin/browser-script.ts'), outfile]);
    expect(readText('src/domains/tracking/browser-script.min.js')).toBe(readFileSync(outfile, 'utf8'));
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('the tracking guide explains every warning of the browser script', () => {
  const [, section = ''] = readText('docs/guides/tracking.md').split('## Warnings');
  expect([...section.matchAll(/^\| `(\w+)` \|/gm)].map(([, code]) => code)).toEqual([...WARNINGS]);
});
