import { z } from 'zod';
import { OPERATIONS } from '../../src/api/routes.ts';
import { filesAt, readText } from './project.ts';

const OF_RANGES = /^(from|to|startDate|endDate|paidFrom|paidTo|at)$/;
/** What a bank did on some day, as a person says. */
const OF_BANKS = /^(executedAt|occurredAt)$/;

const takesDay = (schema: z.ZodType): boolean => schema.safeParse('2026-01-31').success;

const refusesDays = (id: string, schema: z.ZodType | undefined, names: RegExp): string[] =>
  schema instanceof z.ZodObject
    ? Object.entries(schema.shape).flatMap(([name, field]) =>
        names.test(name) && !takesDay(field as z.ZodType) ? [`${id}: ${name}`] : [],
      )
    : [];

test('BR10: each range of a list, and each time that a bank says, can be given as a day', () => {
  const found = OPERATIONS.flatMap(({ id, query, body }) => [
    ...refusesDays(id, query, OF_RANGES),
    ...refusesDays(id, body, OF_BANKS),
  ]);
  expect(found).toEqual([]);
});

/** A day that becomes a time without the time zone that it is of. A formatter of days reads them in UTC again. */
const IN_UTC = /\}T\d\d:\d\d/;
const FORMATTERS = ['src/console/format.ts'];
/** Reads the days of files. */
const FILES = ['src/domains/payouts/manual/parse-results.rules.ts'];

test('BR10: no day of a person becomes a time in UTC', () => {
  const found = filesAt('src/**/*.ts').filter((path) => IN_UTC.test(readText(path)));
  expect(found.filter((path) => ![...FORMATTERS, ...FILES].includes(path))).toEqual([]);
});
