import {
  type AgentRef,
  AuthError,
  ConflictError,
  ForbiddenError,
  NotFoundError,
  RateLimitError,
  ServerError,
  ValidationError,
} from 'agentref';
import { useTestApi } from '../support/api.ts';
import { makeAffiliate, makeKey, makeMerchant, makeProgram, unique } from '../support/factories.ts';
import { listenForClients } from '../support/published-client.ts';

const api = useTestApi();
let clientOf: (apiKey: string) => AgentRef;

let merchant: { merchantId: string; key: string; programId: string };
let client: AgentRef;
beforeAll(async () => {
  clientOf = await listenForClients(api);
  const owner = await makeMerchant(api.runtime);
  merchant = { ...owner, ...(await makeProgram(api, owner.key)) };
  client = clientOf(owner.key);
});

const newProgram = (name = `Program ${unique()}`) => ({ name, commissionType: 'one_time' as const, commissionPercent: 10 });

describe('errors have the client’s error classes, with code and request id', () => {
  const ABSENT = '0198f1c2-7a4e-7c31-9f0a-2f1d3b6c8eff';
  const scoped = async () =>
    clientOf((await makeKey(api.runtime, { ownerId: merchant.merchantId, scopes: ['programs:read'] })).key);
  const stranger = async () => clientOf((await makeMerchant(api.runtime)).key);

  it.each([
    ['AuthError for a wrong key', AuthError, 401, 'UNAUTHORIZED', async () => clientOf('ak_live_wrong').programs.list()],
    [
      'ForbiddenError for a missing scope',
      ForbiddenError,
      403,
      'INSUFFICIENT_SCOPE',
      async () => (await scoped()).payouts.list(),
    ],
    [
      'ForbiddenError for a foreign object',
      ForbiddenError,
      403,
      'FORBIDDEN',
      async () => (await stranger()).programs.get(merchant.programId),
    ],
    ['NotFoundError', NotFoundError, 404, 'NOT_FOUND', () => client.programs.get(ABSENT)],
    ['ValidationError for a bad parameter', ValidationError, 400, 'BAD_REQUEST', () => client.programs.list({ limit: 101 })],
    [
      'ConflictError',
      ConflictError,
      409,
      'CONFLICT',
      async () => client.payouts.create({ ...(await nobody()), method: 'paypal' }),
    ],
    [
      'ServerError for a body that fails its schema',
      ServerError,
      422,
      'VALIDATION_ERROR',
      () => client.programs.create({ ...newProgram(), commissionPercent: 500 }),
    ],
  ])('%s', async (_name, type, status, code, act) => {
    const error = await act().then(
      () => null,
      (thrown: unknown) => thrown,
    );
    expect(error).toBeInstanceOf(type);
    expect(error).toMatchObject({ status, code, message: expect.any(String), requestId: expect.stringMatching(/^req_/) });
    if (type === ValidationError) expect(error).toMatchObject({ details: { issues: [{ path: 'limit' }] } });
    if (status === 422) expect((error as Error).message).toContain('commissionPercent must be at most 100');
  });

  const nobody = async () => {
    const { affiliateId } = await makeAffiliate(api.runtime, merchant.programId);
    return { affiliateId, programId: merchant.programId };
  };

  it('ConflictError for an idempotency key used with another body', async () => {
    const idempotencyKey = unique();
    await client.programs.create(newProgram('One'), { idempotencyKey });
    await expect(client.programs.create(newProgram('Two'), { idempotencyKey })).rejects.toMatchObject({
      name: 'ConflictError',
      code: 'IDEMPOTENCY_KEY_REUSED',
    });
  });

  it('RateLimitError with the seconds to wait', async () => {
    const { key } = await makeKey(api.runtime, { ownerId: merchant.merchantId, rateLimit: 1 });
    const limited = clientOf(key);
    await limited.programs.list();
    const error = await limited.programs.list().catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(RateLimitError);
    expect((error as RateLimitError).retryAfter).toBeGreaterThan(50);
    expect((error as RateLimitError).retryAfter).toBeLessThanOrEqual(60);
  });
});
