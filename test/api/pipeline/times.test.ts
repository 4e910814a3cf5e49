import { readFile } from 'node:fs/promises';
import { useTestApi } from '../../support/api.ts';
import { makeAffiliate, makeAffiliateKey, makeMerchant, makeProgram } from '../../support/factories.ts';

const api = useTestApi();
const MAX_LENGTH = 35;
const LONG = `2026-01-01T00:00:00.${'0'.repeat(130)}Z`;

interface Schema {
  format?: string;
  maxLength?: number;
  [name: string]: unknown;
}
interface OpenApi {
  components: { schemas: Record<string, Schema> };
  paths: Record<string, Record<string, { parameters?: { name: string; in: string; schema: Schema }[]; requestBody?: unknown }>>;
}

/** Every schema of a time in a part of the document, references included. */
const timesIn = (part: unknown, document: OpenApi): Schema[] => {
  if (Array.isArray(part)) return part.flatMap((item) => timesIn(item, document));
  if (typeof part !== 'object' || part === null) return [];
  const schema = part as Schema;
  if (typeof schema['$ref'] === 'string')
    return timesIn(document.components.schemas[schema['$ref'].split('/').at(-1) ?? ''], document);
  return [
    ...(schema.format === 'date-time' ? [schema] : []),
    ...Object.values(schema).flatMap((item) => timesIn(item, document)),
  ];
};

const readDocument = async (): Promise<OpenApi> =>
  JSON.parse(await readFile(new URL('../../../docs/openapi.json', import.meta.url), 'utf8'));

test('SE7: a time of a query has at most 35 characters', async () => {
  const { key } = await makeMerchant(api.runtime);
  const { programId } = await makeProgram(api, key);
  const { profileId } = await makeAffiliate(api.runtime, programId);
  const affiliateKey = await makeAffiliateKey(api.runtime, profileId);
  const document = await readDocument();
  const tried: string[] = [];
  for (const [path, { get }] of Object.entries(document.paths)) {
    for (const { name, schema } of get?.parameters?.filter((parameter) => parameter.in === 'query') ?? []) {
      if (timesIn(schema, document).length === 0) continue;
      const to = path.replace(/\{\w+\}/, programId);
      const response = await api.call('GET', to, { key: path.startsWith('/me') ? affiliateKey : key, query: { [name]: LONG } });
      tried.push(`${path} ${name}`);
      expect([path, name, response.status]).toEqual([path, name, 400]);
    }
  }
  expect(tried.length).toBeGreaterThan(12);
});

test('SE7: a time of a body has at most 35 characters', async () => {
  const document = await readDocument();
  const times = Object.values(document.paths).flatMap((operations) =>
    Object.values(operations).flatMap(({ requestBody }) => timesIn(requestBody, document)),
  );
  expect(times.length).toBeGreaterThan(5);
  expect(times.map(({ maxLength }) => maxLength ?? Number.POSITIVE_INFINITY).filter((length) => length > MAX_LENGTH)).toEqual([]);
});
