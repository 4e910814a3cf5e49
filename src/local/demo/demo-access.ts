import { join } from 'node:path';
import { z } from 'zod';
import { operatorContext } from '../../cli/operator.ts';
import { EVENT_TYPES } from '../../contracts/events.ts';
import type { KeyType } from '../../contracts/scopes.ts';
import { createApiKey } from '../../domains/auth/index.ts';
import { liveEventSecrets } from '../../domains/programs/index.ts';
import type { Context } from '../../platform/context.ts';
import type { Runtime } from '../../runtime.ts';
import { readPrivateFile, writePrivateFile } from '../installation/data-folder.ts';
import type { StackFile } from '../installation/stack-file.ts';
import { type ApiClient, createApiClient } from './api-client.ts';
import type { DemoPeople } from './demo-data.ts';

const schema = z.object({
  /** Key of the demo scenario, so that it does not use the rate limit of the keys shown to the user. */
  runnerKey: z.string(),
  endpoint: z.object({ id: z.string(), secret: z.string() }).nullable(),
});

const issuedSecret = z.object({ signingSecret: z.string() });
const endpointShape = z.object({ id: z.string(), url: z.string(), status: z.string(), secretLastFour: z.string().nullable() });
const createdEndpoint = z.object({ endpoint: endpointShape, signingSecret: z.string() });

export type ShownKeys = Pick<StackFile, 'merchantKey' | 'affiliateKey' | 'onboardingKey'>;

export interface DemoAccess {
  keys: ShownKeys;
  client: ApiClient;
  /** Signs the sale events of the program. */
  eventSecret: string;
  endpointSecret: string;
}

interface DemoAccessInput {
  runtime: Runtime;
  folder: string;
  apiUrl: string;
  people: DemoPeople;
  /** Keys of the previous start. */
  knownKeys: ShownKeys | null;
  receiverUrl: string;
}

const RUNNER_RATE = 6_000;

/** Keys, event secret and endpoint of the demo: those of the previous start while they are valid, otherwise new ones. */
export const openDemoAccess = async (given: DemoAccessInput): Promise<DemoAccess> => {
  const { runtime, apiUrl, people, knownKeys } = given;
  const path = join(given.folder, 'demo.json');
  const kept = await readPrivateFile(path, schema);
  const { merchantId, profileId } = people;
  const keep = async (known: string | undefined, keyType: KeyType, name: string, rateLimit?: number): Promise<string> => {
    const ownerId = keyType === 'affiliate' ? profileId : merchantId;
    if (known !== undefined && (await isValid(apiUrl, known, ownerId))) return known;
    return (await createApiKey(operatorContext(runtime), { keyType, ownerId, name, rateLimit })).value;
  };
  const keys = {
    merchantKey: await keep(knownKeys?.merchantKey, 'merchant', 'npm start'),
    affiliateKey: await keep(knownKeys?.affiliateKey, 'affiliate', 'npm start'),
    onboardingKey: await keep(knownKeys?.onboardingKey, 'onboarding', 'npm start'),
  };
  const runnerKey = await keep(kept?.runnerKey, 'merchant', 'npm start: demo scenario', RUNNER_RATE);
  const client = createApiClient(apiUrl, runnerKey);
  const eventSecret = await findOrIssueEventSecret(operatorContext(runtime), client, people.programId);
  const endpoint = await keepEndpoint(client, kept?.endpoint ?? null, given.receiverUrl);
  await writePrivateFile(path, { runnerKey, endpoint });
  return { keys, client, eventSecret, endpointSecret: endpoint.secret };
};

const owner = z.object({ owner: z.union([z.object({ merchantId: z.string() }), z.object({ affiliateId: z.string() })]) });

const isValid = async (apiUrl: string, key: string, ownerId: string): Promise<boolean> => {
  const { status, data } = await createApiClient(apiUrl, key).request('GET', '/me');
  const parsed = owner.safeParse(data);
  return status === 200 && parsed.success && Object.values(parsed.data.owner).includes(ownerId);
};

/** The one in use: the user may have rotated it, and issuing another would end theirs. */
const findOrIssueEventSecret = async (ctx: Context, client: ApiClient, programId: string): Promise<string> => {
  const { secrets } = await liveEventSecrets(ctx, programId);
  return secrets[0]?.text ?? (await client.send(issuedSecret, 'POST', `/programs/${programId}/event-secret`)).signingSecret;
};

/** The port of the receiver may change between starts, and the endpoint may have been changed or deleted, or its secret rotated. */
const keepEndpoint = async (client: ApiClient, kept: { id: string; secret: string } | null, url: string) => {
  const subscribedEvents = [...EVENT_TYPES];
  const found = kept && (await client.request('GET', `/webhooks/${kept.id}`));
  if (!kept || found?.status !== 200) {
    const created = await client.send(createdEndpoint, 'POST', '/webhooks', { name: 'npm start', url, subscribedEvents });
    return { id: created.endpoint.id, secret: created.signingSecret };
  }
  const endpoint = endpointShape.parse(found.data);
  if (endpoint.url !== url) await client.send(endpointShape, 'PATCH', `/webhooks/${kept.id}`, { url, subscribedEvents });
  if (endpoint.status !== 'active') await client.send(endpointShape, 'POST', `/webhooks/${kept.id}/enable`);
  if (endpoint.secretLastFour === kept.secret.slice(-4)) return kept;
  const rotated = await client.send(createdEndpoint, 'POST', `/webhooks/${kept.id}/rotate-secret`);
  return { id: kept.id, secret: rotated.signingSecret };
};
