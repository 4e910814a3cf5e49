import { type Client, isGrpcServiceError } from '@temporalio/client';
import { RETIRED_SEARCH_ATTRIBUTES, SEARCH_ATTRIBUTES } from '../contracts/workflows/descriptor.ts';
import type { Logger } from '../platform/logger.ts';
import { distinctClients, type TemporalClient, withDeadline } from './client.ts';

/** The numbers of `temporal.api.enums.v1.IndexedValueType`. */
const INDEXED_VALUE_TYPES = { KEYWORD: 2, INT: 3, DOUBLE: 4, BOOL: 5, DATETIME: 6 } as const;
const PERMISSION_DENIED = 7;
const UNIMPLEMENTED = 12;

/** A namespace of a server. */
type Server = Pick<TemporalClient, 'connection'> & { client: Client };

export const serversOf = ({ clients, connection }: TemporalClient): Server[] =>
  distinctClients(clients).map((client) => ({ client, connection }));

/**
 * Adds the search attributes that the namespace lacks; the second call changes nothing. Throws while Temporal is
 * unavailable. Returns false, and logs what is missing, on a server that does not allow it (Temporal Cloud); an attribute
 * that has another type there is logged too.
 */
export const ensureSearchAttributes = async (server: Server, log: Logger): Promise<boolean> => {
  const { namespace } = server.client.options;
  try {
    await addMissing(server, log);
    return true;
  } catch (error) {
    const isForbidden = isGrpcServiceError(error) && (error.code === PERMISSION_DENIED || error.code === UNIMPLEMENTED);
    if (!isForbidden) throw error;
    log.warn({ namespace, required: SEARCH_ATTRIBUTES }, 'search attributes cannot be added here: create them on the server');
    return false;
  }
};

const addMissing = async ({ client, connection: { operatorService } }: Server, log: Logger): Promise<void> => {
  const { namespace } = client.options;
  const { customAttributes } = await withDeadline(client, () => operatorService.listSearchAttributes({ namespace }));
  const missing: Record<string, number> = {};
  for (const [name, type] of Object.entries(SEARCH_ATTRIBUTES)) {
    const found = customAttributes?.[name];
    if (!found) missing[name] = INDEXED_VALUE_TYPES[type];
    else if (found !== INDEXED_VALUE_TYPES[type]) log.error({ namespace, name, type }, 'search attribute has another type');
  }
  const retired = RETIRED_SEARCH_ATTRIBUTES.filter((name) => customAttributes?.[name] !== undefined);
  if (retired.length > 0)
    log.error({ namespace, retired }, 'search attributes of an earlier version use up the room: run `admin search-attributes`');
  if (Object.keys(missing).length === 0) return;
  await withDeadline(client, () => operatorService.addSearchAttributes({ namespace, searchAttributes: missing }));
  log.info({ namespace, names: Object.keys(missing) }, 'search attributes added');
};

/** Removes those of earlier versions. Others may use the namespace, so only an operator asks for it. Returns their names. */
export const removeRetiredSearchAttributes = async ({ client, connection: { operatorService } }: Server): Promise<string[]> => {
  const { namespace } = client.options;
  const { customAttributes } = await withDeadline(client, () => operatorService.listSearchAttributes({ namespace }));
  const searchAttributes = RETIRED_SEARCH_ATTRIBUTES.filter((name) => customAttributes?.[name] !== undefined);
  if (searchAttributes.length > 0)
    await withDeadline(client, () => operatorService.removeSearchAttributes({ namespace, searchAttributes }));
  return searchAttributes;
};

/** `ensureSearchAttributes` in each namespace, until a server forbids it: that is logged once. */
export const searchAttributesEnsurer = (temporal: TemporalClient, log: Logger): (() => Promise<void>) => {
  const servers = new Set(serversOf(temporal));
  return async () => {
    for (const server of servers) if (!(await ensureSearchAttributes(server, log))) servers.delete(server);
  };
};
