import type { TestApi, TestResponse } from '../../support/api.ts';
import { makePerson as makeProfile } from '../../support/applications.ts';
import { makeAffiliateKey, makeMerchant, makeProgram, type TestMerchant } from '../../support/factories.ts';

export interface TestInvites extends TestMerchant {
  programId: string;
  create(body?: unknown): Promise<TestResponse>;
  /** The token of a new invite. */
  invite(body?: unknown): Promise<string>;
  list(): Promise<TestResponse>;
  members(): Promise<TestResponse>;
}

/** A merchant with a program that invites people. */
export const makeInviter = async (api: TestApi, program: Record<string, unknown> = {}): Promise<TestInvites> => {
  const merchant = await makeMerchant(api.runtime);
  const { key } = merchant;
  const { programId } = await makeProgram(api, key, program);
  const create = (body: unknown = {}) => api.call('POST', `/programs/${programId}/invites`, { key, body });
  return {
    ...merchant,
    programId,
    create,
    async invite(body) {
      const made = await create(body);
      if (made.status !== 201) throw new Error(`no invite: ${made.text}`);
      return made.data.token;
    },
    list: () => api.call('GET', `/programs/${programId}/invites`, { key }),
    members: () => api.call('GET', `/programs/${programId}/affiliates`, { key, query: { includeBlocked: 'true' } }),
  };
};

export interface TestPerson extends Awaited<ReturnType<typeof makeProfile>> {
  key: string;
}

/** Somebody who is in no program, with an affiliate key. */
export const makePerson = async ({ runtime }: TestApi, email?: string): Promise<TestPerson> => {
  const person = await makeProfile(runtime, email === undefined ? {} : { email });
  return { ...person, key: await makeAffiliateKey(runtime, person.profileId) };
};

export const claim = (api: TestApi, { key }: { key: string }, token: string): Promise<TestResponse> =>
  api.call('POST', `/invites/${token}/claim`, { key });
