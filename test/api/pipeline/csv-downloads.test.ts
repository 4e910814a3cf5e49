import { text } from 'node:stream/consumers';
import { z } from 'zod';
import { db } from '../../../src/domains/tables.ts';
import type { Context } from '../../../src/platform/context.ts';
import type { Given } from '../../../src/platform/database/compiled.ts';
import { type CsvSource, createCsvUrl, csvDownload, MAX_CSV_ROWS, openCsv } from '../../../src/platform/http/csv-download.ts';
import { list } from '../../../src/platform/http/lists.ts';
import { useTestApi } from '../../support/api.ts';
import { makeMerchant, makeProgram, type TestMerchant } from '../../support/factories.ts';

const api = useTestApi();

const programs = list({
  name: 'test-programs',
  query: ({ merchantId, status }: Given<{ merchantId: string; status?: 'active' | 'paused' | undefined }>) => {
    const query = db.selectFrom('program').select(['id', 'name', 'createdAt']).where('merchantId', '=', merchantId);
    return status ? query.where('status', '=', status) : query;
  },
  toItem: ({ name }) => ({ name }),
});

const byName = { name: ({ name }: { name: string }) => name, empty: () => null };
const filter = z.strictObject({ status: z.enum(['active', 'paused']).optional() });
const programCsv = csvDownload({ name: 'programs', scope: 'programs:read', filter, columns: byName, source: programs.all });

const many = (count: number): CsvSource<{ name: string }> => ({
  async *batches() {
    for (let at = 0; at < count; at += 500) yield Array.from({ length: Math.min(500, count - at) }, () => ({ name: 'x' }));
  },
  exceeds: async () => false,
});
const endlessCsv = csvDownload({
  name: 'endless',
  scope: 'programs:read',
  filter: z.strictObject({}),
  columns: byName,
  source: () => many(MAX_CSV_ROWS + 1),
});
const DOWNLOADS = [programCsv, endlessCsv];

const contextOf = ({ merchantId, keyId }: TestMerchant): Context =>
  api.runtime.context({ kind: 'key', keyId, keyType: 'merchant', ownerId: merchantId, scopes: [] });

const partsOf = (url: string) => {
  const { pathname, searchParams } = new URL(url);
  return { name: pathname.split('/').at(-1) ?? '', token: searchParams.get('token') ?? '' };
};

it('makes a file of what the filter of its URL selects, with formulas as text', async () => {
  const merchant = await makeMerchant(api.runtime);
  await makeProgram(api, merchant.key, { name: '=HYPERLINK("http://evil.test")' });
  await makeProgram(api, merchant.key, { name: 'Second, of two' });
  await makeProgram(api, (await makeMerchant(api.runtime)).key);
  const ctx = contextOf(merchant);
  const contentOf = async (given: z.infer<typeof filter>) => {
    const { url } = await createCsvUrl(ctx, programCsv, given);
    return text(await openCsv(ctx, DOWNLOADS, partsOf(url)).open());
  };
  expect(await contentOf({})).toBe(`name,empty\r\n"Second, of two",\r\n"'=HYPERLINK(""http://evil.test"")",\r\n`);
  expect(await contentOf({ status: 'paused' })).toBe('name,empty\r\n');
});

it('names a file by its list and day, and accepts no other text, file or time', async () => {
  const ctx = contextOf(await makeMerchant(api.runtime));
  const { url, expiresAt } = await createCsvUrl(ctx, programCsv, {});
  const parts = partsOf(url);
  expect(openCsv(ctx, DOWNLOADS, parts).fileName).toMatch(/^programs-\d{4}-\d\d-\d\d\.csv$/);
  for (const given of [
    { ...parts, token: '' },
    { ...parts, token: `x${parts.token}` },
    { ...parts, name: 'endless.csv' },
  ])
    expect(() => openCsv(ctx, DOWNLOADS, given)).toThrow('Export not found');
  const later = { ...ctx, clock: { now: () => new Date(Date.parse(String(expiresAt)) + 1) } };
  expect(() => openCsv(later, DOWNLOADS, parts)).toThrow('The URL has expired');
});

it('refuses a URL of more rows than a file holds, and breaks off one that grew beyond that', async () => {
  const ctx = contextOf(await makeMerchant(api.runtime));
  const large = csvDownload({
    ...programCsv,
    columns: byName,
    filter,
    source: () => ({ ...many(1), exceeds: async () => true }),
  });
  await expect(createCsvUrl(ctx, large, {})).rejects.toMatchObject({
    code: 'CONFLICT',
    details: { reason: 'EXPORT_TOO_LARGE', limit: MAX_CSV_ROWS },
  });
  const { url } = await createCsvUrl(ctx, endlessCsv, {});
  await expect(text(await openCsv(ctx, DOWNLOADS, partsOf(url)).open())).rejects.toThrow('has more than 100000 rows');
});

it('reads a list in batches, and knows whether it exceeds a number', async () => {
  const merchant = await makeMerchant(api.runtime);
  for (const name of ['One', 'Two']) await makeProgram(api, merchant.key, { name });
  const all = programs.all(contextOf(merchant), { merchantId: merchant.merchantId });
  expect([await all.exceeds(1), await all.exceeds(2)]).toEqual([true, false]);
  const batches: unknown[] = [];
  for await (const batch of all.batches()) batches.push(batch);
  expect(batches).toEqual([[{ name: 'Two' }, { name: 'One' }]]);
});
