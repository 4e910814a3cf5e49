import { statSync } from 'node:fs';
import { join } from 'node:path';
import { FOLDER, filesAt, readText } from './project.ts';
import { findWordingProblems } from './wording.ts';

const SCANNED = [
  '{bin,src,workflows,activities,migrations,test,bench,docs}/**/*',
  '*.{md,cjs,js}',
  '{package,biome}.json',
  '{.env.example,.ci/run,docker-compose.yml,Dockerfile}',
];
/** Recorded, generated or binary files, and the list of terms itself. */
const NOT_SCANNED = /^(test\/histories\/|test\/architecture\/wording|docs\/(images\/|openapi\.json|operations\.md))|\.(sum|mod)$/;

test('names and texts use standard terms', () => {
  const files = filesAt(...SCANNED).filter((path) => !NOT_SCANNED.test(path) && statSync(join(FOLDER, path)).isFile());
  expect(files.length).toBeGreaterThan(100);
  expect(files.flatMap((path) => findWordingProblems(path, readText(path)))).toEqual([]);
});

test.each([
  ['const startStory = () => {};', 'story', 'workflow'],
  ['create table room_key ()', 'room', 'domain'],
  ['// A person pays by hand.', 'by hand', 'manual'],
  ['The request decides, the workflow sees it through.', 'sees it through', 'carry out'],
  ['const MOST_TRIES = 3;', 'MOST_TRIES', 'MAX_'],
  ['options.say(line);', 'say(', 'onProgress'],
  ['class KeyRing {}', 'key ring', 'ApiKeyCache'],
])('the wording check reports %p', (text, term, replacement) => {
  expect(findWordingProblems('src/a.ts', `\n${text}`)).toEqual([
    expect.stringMatching(new RegExp(`^src/a\\.ts:2: "${term.replace('(', '\\(')}", use .*${replacement}`)),
  ]);
});

test('the wording check covers file names', () => {
  expect(findWordingProblems('src/story-run.ts', '')).toEqual(['src/story-run.ts:0: "story", use workflow']);
});

test.each(['history of outdoor wallets', 'by default refused', 'the wall clock', 'almost every essay(1)', 'manually'])(
  'the wording check accepts %p',
  (text) => {
    expect(findWordingProblems('src/a.ts', text)).toEqual([]);
  },
);
