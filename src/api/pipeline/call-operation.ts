import type { Scope } from '../../contracts/scopes.ts';
import { type Actor, findCaller, identityOf, type Origin } from '../../platform/context.ts';
import type { AppError } from '../../platform/errors.ts';
import { statusOf } from '../../platform/http/envelope.ts';
import type { Operation } from '../../platform/http/operation.ts';
import type { Logger } from '../../platform/logger.ts';
import type { Runtime } from '../../runtime.ts';
import { OPERATIONS, type OperationTable, PERSON_OPERATIONS } from '../routes.ts';
import { authorize, type Caller } from './authorize.ts';
import { toAppError } from './errors.ts';
import { prepareOperation } from './prepare-operation.ts';

export type OperationId = keyof OperationTable;

/** What an operation takes: parameters and query as text, the body as JSON would hold it. */
type Inputs<Id extends OperationId> = Omit<OperationTable[Id], 'data' | 'meta'>;
/** `params`, `query` and `body` as far as the operation has them; those that may be empty may be left out. */
export type OperationInput<Id extends OperationId> = {
  [K in keyof Inputs<Id> as undefined extends Inputs<Id>[K] ? never : object extends Inputs<Id>[K] ? never : K]: Inputs<Id>[K];
} & {
  [K in keyof Inputs<Id> as undefined extends Inputs<Id>[K] ? never : object extends Inputs<Id>[K] ? K : never]?: Inputs<Id>[K];
};

export interface AnyInput {
  params?: unknown;
  query?: unknown;
  body?: unknown;
  idempotencyKey?: string | undefined;
}

export interface OperationError {
  status: number;
  error: Pick<AppError, 'code' | 'message' | 'details'>;
}
export interface OperationSuccess<Id extends OperationId> {
  status: number;
  data: OperationTable[Id]['data'];
  meta: OperationTable[Id]['meta'];
}
export type OperationResult<Id extends OperationId> = OperationSuccess<Id> | OperationError;

/** Who calls, and for which request. */
export interface CallBy {
  actor: Actor;
  origin: Origin | undefined;
  log: Logger;
  requestId: string;
  runtime: Pick<Runtime, 'context'>;
}

const byId = new Map<string, Operation>([...OPERATIONS, ...PERSON_OPERATIONS].map((operation) => [operation.id, operation]));

export const operationOf = (id: OperationId): Operation => {
  const found = byId.get(id);
  if (!found) throw new Error(`No operation is called ${id}`);
  return found;
};

/** Whoever has no rights of their own may call what is public. */
const rightsOf = (actor: Actor): Caller | null => {
  const caller = findCaller(actor);
  if (!caller) return null;
  const { keyType, scopes, kind } = caller;
  const isOnDomain = kind === 'person' && caller.onlyMerchantId !== undefined;
  return { keyType, scopes: new Set(scopes as readonly Scope[]), isEmbed: kind === 'embed', isOnDomain };
};

/** Whose idempotency records a call has. */
const callerIdOf = (actor: Actor): string | null => {
  const caller = findCaller(actor);
  return caller && identityOf(caller);
};

const NOT_SIGNED_IN = 'Sign in first';

/** Whether the access rule of an operation lets somebody call it. */
export const mayCall = (id: OperationId, actor: Actor): boolean => {
  try {
    authorize(operationOf(id).access, rightsOf(actor), NOT_SIGNED_IN);
    return true;
  } catch {
    return false;
  }
};

/**
 * Calls an operation as a request would: the same access rule, validation, idempotency, transaction and response, without HTTP. Who
 * calls is not counted: a page counts as one request. A fault is thrown, every other error is returned.
 */
export const callOperation = async <Id extends OperationId>(
  id: Id,
  input: OperationInput<Id> & { idempotencyKey?: string | undefined },
  by: CallBy,
): Promise<OperationResult<Id>> => {
  const operation = operationOf(id);
  try {
    const { status, body } = await respond(operation, input, by);
    // The text that a request would get, also when it was stored: what is read from it is what the API shows.
    return { status, ...JSON.parse(body) };
  } catch (error) {
    const known = toAppError(error, operation.method);
    if (!known) throw error;
    const { code, message, details } = known;
    return { status: statusOf(known), error: { code, message, details } };
  }
};

const respond = (operation: Operation, given: AnyInput, { actor, origin, log, requestId, runtime }: CallBy) => {
  authorize(operation.access, rightsOf(actor), NOT_SIGNED_IN);
  const { params = {}, query = {}, body, idempotencyKey } = given;
  return prepareOperation(operation)(
    { params, query, body, idempotencyKey },
    { context: () => runtime.context(actor, log, origin), callerId: callerIdOf(actor), requestId },
  );
};
