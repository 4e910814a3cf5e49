import { slugOf } from '../../../src/domains/programs/slug.rules.ts';

const id = '0198f1c2-8b10-7d02-8f3e-51c9a7e2b604';

test.each([
  ['Acme Partners', 'acme-partners-a7e2b604'],
  ['  Crème & Brûlée! ', 'creme-brulee-a7e2b604'],
  ['ÄÖÜ 2026', 'aou-2026-a7e2b604'],
  ['日本', 'program-a7e2b604'],
  ['---', 'program-a7e2b604'],
])('the slug of "%s" is %s', (name, slug) => {
  expect(slugOf(name, id)).toBe(slug);
});

test('a long name is cut without a double dash', () => {
  const slug = slugOf(`${'a'.repeat(39)} ${'b'.repeat(60)}`, id);
  expect(slug).toBe(`${'a'.repeat(39)}-a7e2b604`);
});
