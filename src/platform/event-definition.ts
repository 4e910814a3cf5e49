import type { z } from 'zod';
import type { EventType } from '../contracts/events.ts';

/** A published event: what OpenAPI documents and what test deliveries send. */
export interface EventDefinition<S extends z.ZodType = z.ZodType> {
  /** One sentence, as in "A payout was completed." */
  description: string;
  /** Shape of the envelope's `data`. */
  schema: S;
  example: z.output<S>;
}

export const eventDefinition = <S extends z.ZodType>(
  description: string,
  schema: S,
  example: z.output<S>,
): EventDefinition<S> => ({ description, schema, example });

export type PayloadsOf<E extends Readonly<Record<string, EventDefinition>>> = {
  [T in keyof E]: z.output<E[T]['schema']>;
};

export type EventCatalog = Readonly<Record<EventType, EventDefinition>>;
