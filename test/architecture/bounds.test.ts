import { z } from 'zod';
import { INBOUND_WEBHOOKS, OPERATIONS } from '../../src/api/routes.ts';

type Schema = z.core.$ZodType;

interface Def {
  type: string;
  checks?: readonly { _zod: { def: { check: string } } }[];
  element?: Schema;
  shape?: Readonly<Record<string, Schema>>;
  keyType?: Schema;
  valueType?: Schema;
  innerType?: Schema;
  in?: Schema;
  out?: Schema;
  left?: Schema;
  right?: Schema;
  options?: readonly Schema[];
  items?: readonly Schema[];
  getter?: () => Schema;
}

const defOf = (schema: Schema): Def => schema._zod.def as unknown as Def;

/** Counted before its members: an array by zod itself, a record only behind the check of `mapOf`. */
const unboundedIn = (schema: Schema, place: string, isCounted = false): string[] => {
  const def = defOf(schema);
  if (def.type === 'array') {
    // Zod counts first only before a check that may change the list.
    const leading = def.checks?.map(({ _zod }) => _zod.def.check) ?? [];
    const end = leading.findIndex((check) => !check.includes('length'));
    const hasMax = leading.slice(0, end === -1 ? undefined : end).some((check) => check !== 'min_length');
    return [
      ...(hasMax ? [] : [`${place}: an array without max`]),
      ...(def.element ? unboundedIn(def.element, `${place}[]`) : []),
    ];
  }
  if (def.type === 'record') {
    const inner = [def.keyType, def.valueType].flatMap((part) => (part ? unboundedIn(part, `${place}{}`) : []));
    return [...(isCounted ? [] : [`${place}: a record that is not counted first`]), ...inner];
  }
  if (def.type === 'pipe') {
    const isMap = def.in !== undefined && defOf(def.in).type === 'custom';
    return [...(def.in ? unboundedIn(def.in, place) : []), ...(def.out ? unboundedIn(def.out, place, isMap) : [])];
  }
  const fields = Object.entries(def.shape ?? {}).flatMap(([name, field]) => unboundedIn(field, `${place}.${name}`));
  const parts = [def.innerType, def.left, def.right, ...(def.options ?? []), ...(def.items ?? [])];
  return [...fields, ...parts.flatMap((part) => (part ? unboundedIn(part, place, isCounted) : []))];
};

test('NS2: lists and maps of requests are counted before their members are looked at', () => {
  const requests = OPERATIONS.flatMap(({ id, params, query, body }) =>
    [params, query, body].flatMap((schema) => (schema ? unboundedIn(schema, id) : [])),
  );
  const ours = INBOUND_WEBHOOKS.filter(({ signature }) => signature !== 'stripe');
  expect([...requests, ...ours.flatMap(({ id, body }) => unboundedIn(body, id))]).toEqual([]);
});

test('a schema with a list or a map without a bound is found', () => {
  const body = z.object({ a: z.array(z.string()), b: z.record(z.string(), z.int()).optional() });
  expect(unboundedIn(body, 'x')).toEqual(['x.a: an array without max', 'x.b: a record that is not counted first']);
});
