import { occurrencesOf } from '../mutations/plant.ts';
import { PLANTS } from '../mutations/plants/index.ts';
import { filesAt, readText } from './project.ts';

const duplicatesOf = (names: readonly string[]): string[] => names.filter((name, at) => names.indexOf(name) !== at);

test('every planted violation still fits its file: `npm run mutations` plants each of them', () => {
  const tests = new Set(filesAt('test/**/*.test.ts'));
  const wrong = PLANTS.flatMap(({ name, file, find, replace, test }) => {
    const found = occurrencesOf(readText(file), find);
    return [
      ...(found === 1 ? [] : [`${name}: its text occurs ${found} times in ${file}`]),
      ...(find === replace ? [`${name}: changes nothing`] : []),
      ...(tests.has(test) ? [] : [`${name}: there is no ${test}`]),
    ];
  });
  expect(wrong).toEqual([]);
});

test('planted violations have names of their own, and break many kinds of rules', () => {
  expect(duplicatesOf(PLANTS.map(({ name }) => name))).toEqual([]);
  expect(duplicatesOf(PLANTS.map(({ file, find, replace }) => JSON.stringify([file, find, replace])))).toEqual([]);
  expect(PLANTS.length).toBeGreaterThanOrEqual(45);
  expect(new Set(PLANTS.map(({ breaks }) => breaks)).size).toBeGreaterThanOrEqual(20);
});

test('docs/testing.md lists the planted violations and what catches them', () => {
  const listed = readText('docs/testing.md').match(/^\|.*\| `test\/[\w./-]+\.test\.ts` \|$/gm);
  const rows = PLANTS.map(({ breaks, name, test }) => `| ${breaks} | ${name} | \`${test}\` |`);
  expect(listed?.toSorted()).toEqual(rows.toSorted());
});
