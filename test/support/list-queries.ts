import { z } from 'zod';
import type { Operation } from '../../src/platform/http/operation.ts';
import { pageQuery } from '../../src/platform/http/pages.ts';
import type { addManyRows, ListOwner } from './many-rows.ts';

export type OwnRows = ListOwner & Awaited<ReturnType<typeof addManyRows>>;
export type Query = Readonly<Record<string, string>>;

const daysAgo = (days: number): string => new Date(Date.now() - days * 86_400_000).toISOString();

const START = [daysAgo(90)];
const END = [daysAgo(30)];

/** Values of filters that have no closed set. Where one value matches few rows and another many, there are both. */
const VALUES: Readonly<Record<string, (own: OwnRows, op: Operation) => readonly string[]>> = {
  programId: ({ programId, otherProgramId }, { id }) => [id === 'listWebhookEndpoints' ? otherProgramId : programId],
  program_id: ({ programId, memberProgramId }, { id }) => [id === 'listLinks' ? programId : memberProgramId],
  affiliateId: ({ affiliateId }) => [affiliateId],
  search: () => ['needle', 'name'],
  name: () => ['needle', 'name'],
  q: () => ['needle', 'name', 'ref-10'],
  code: () => ['code-20', 'code-10'],
  reference: () => ['ref-10'],
  reason: () => ['BELOW_THRESHOLD'],
  paidFrom: () => START,
  paidTo: () => END,
  externalSaleId: () => ['sale-1'],
  customerId: () => ['c-1'],
  flagId: ({ flagId }) => [flagId],
  email: () => ['p-10@example.com'],
  externalId: () => ['partner-10'],
  startDate: () => START,
  from: () => START,
  endDate: () => END,
  to: () => END,
  since: () => START,
  types: () => ['payout.created', 'flag.resolved'],
  category: () => ['rare', 'common'],
  minCommission: () => ['50'],
  minEpc: () => ['4.9'],
  actor: ({ merchantId }) => [`key:${merchantId}`, 'system:test'],
  personId: ({ merchantId }) => [merchantId],
  action: () => ['program.updated'],
  resourceType: () => ['program', 'coupon'],
  resourceId: ({ affiliateId }) => [affiliateId],
};

interface JsonSchema {
  properties?: Record<string, { enum?: string[] }>;
}

/** The values of each query parameter that is not about pages. */
const filtersOf = (op: Operation, own: OwnRows): [name: string, values: readonly string[]][] => {
  if (!op.query) return [];
  const { properties = {} } = z.toJSONSchema(op.query, { io: 'input', unrepresentable: 'any' }) as JsonSchema;
  return Object.entries(properties)
    .filter(([name]) => !(name in pageQuery) && name !== 'after')
    .map(([name, schema]) => {
      const values = VALUES[name]?.(own, op) ?? schema.enum;
      if (!values) throw new Error(`${op.id}: the filter ${name} has no values in VALUES`);
      return [name, values];
    });
};

/** Each value of each filter, without any other. */
export const singleFilters = (op: Operation, own: OwnRows): Query[] =>
  filtersOf(op, own).flatMap(([name, values]) => values.map((value) => ({ [name]: value })));

/** Other names of a filter that is combined. */
const ALIASES = ['from', 'to'];

/** More filters than that have too many combinations. */
const MAX_FILTERS = 8;

/** Each two values of two filters, and the first values of any three filters or more; of many filters, those of all. */
export const combinedFilters = (op: Operation, own: OwnRows): Query[] => {
  const filters = filtersOf(op, own).filter(([name]) => !ALIASES.includes(name));
  const pairs = filters.flatMap(([name, values], at) =>
    filters
      .slice(at + 1)
      .flatMap(([other, others]) => values.flatMap((value) => others.map((second) => ({ [name]: value, [other]: second })))),
  );
  const sets: Query[] = [{}];
  for (const [name, [first = '']] of filters) sets.push(...sets.map((query) => ({ ...query, [name]: first })));
  const isTried = (count: number) => count > 2 && (filters.length <= MAX_FILTERS || count === filters.length);
  return [...pairs, ...sets.filter((query) => isTried(Object.keys(query).length))];
};
