import type { Compilable, CompiledQuery, RawBuilder } from 'kysely';
import { sql } from 'kysely';
import { LRUCache } from 'lru-cache';

/** A place for a value in a statement that is compiled before its values are known. */
class Parameter {
  readonly name: string;

  constructor(name: string) {
    this.name = name;
  }
}

/** The values of a statement, as expressions: a value cannot decide how the statement is built, only whether it is given. */
export type Given<Values> = {
  readonly [Name in keyof Values]: undefined extends Values[Name]
    ? RawBuilder<Exclude<Values[Name], undefined>> | undefined
    : RawBuilder<Values[Name]>;
};

/** Values that are known already, for a statement that is compiled each time. */
export const givenOf = <Values extends object>(values: Values): Given<Values> =>
  Object.fromEntries(definedOf(values).map(([name, value]) => [name, sql`${value}`])) as Given<Values>;

const definedOf = (values: object) => Object.entries(values).filter(([, value]) => value !== undefined);

const MAX_SHAPES = 500;

/**
 * Builds and compiles a statement once for each set of values that are given, and for each `shape`. For statements of which the
 * CPU time counts: compiling takes as long as the rest of a small query.
 */
export const compileOnce = <Values extends object, Row>(build: (given: Given<Values>, shape: string) => Compilable<Row>) => {
  const compiled = new LRUCache<string, CompiledQuery<Row>>({ max: MAX_SHAPES });
  const compile = (names: readonly string[], shape: string): CompiledQuery<Row> => {
    const places = names.map((name) => [name, new Parameter(name)]);
    return build(givenOf(Object.fromEntries(places) as Values), shape).compile();
  };
  return (values: Values, shape = ''): CompiledQuery<Row> => {
    const named = new Map<string, unknown>();
    let key = shape;
    for (const name in values) {
      if (values[name] === undefined) continue;
      named.set(name, values[name]);
      key += ` ${name}`;
    }
    let template = compiled.get(key);
    if (!template) {
      template = compile([...named.keys()], shape);
      compiled.set(key, template);
    }
    const parameters = template.parameters.map((value) => (value instanceof Parameter ? named.get(value.name) : value));
    return { ...template, parameters };
  };
};
