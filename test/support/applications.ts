import type { SubmitApplicationInput } from '../../src/domains/applications/index.ts';
import { submitApplication } from '../../src/domains/applications/index.ts';
import { findProgram } from '../../src/domains/programs/index.ts';
import type { Context } from '../../src/platform/context.ts';
import { execute, sql } from '../../src/platform/database/sql.ts';
import type { Runtime } from '../../src/runtime.ts';
import type { TestApi } from './api.ts';
import { makeMerchant, makeProgram, unique } from './factories.ts';

const system = { kind: 'system', name: 'test' } as const;

export interface TestPerson {
  profileId: string;
  email: string;
}

/** A person who is in no program. */
export const makePerson = async (runtime: Runtime, { email = `p-${unique()}@example.com` } = {}): Promise<TestPerson> => {
  const profileId = runtime.ids.next();
  await execute(
    runtime.context(system).em,
    sql`insert into affiliate_profile (id, user_id, email, name, created_at, updated_at)
      values (${profileId}::uuid, ${runtime.ids.next()}::uuid, ${email}, 'Ada Byron', now(), now())`,
  );
  return { profileId, email };
};

type Options = Partial<Omit<SubmitApplicationInput, 'program'>>;

/** Submits an application of a new person, or of the given one. */
export const apply = async (ctx: Context, programId: string, options: Options & { profileId: string }) => {
  const program = await findProgram(ctx, programId);
  if (!program) throw new Error('no program');
  return submitApplication(ctx, { program, source: 'api', ...options });
};

export interface TestApplication extends TestPerson {
  merchantId: string;
  /** Key of the merchant. */
  key: string;
  keyId: string;
  programId: string;
  applicationId: string;
  affiliateId: string;
}

/** A merchant with a program, and the pending application of a new person. */
export const makeApplication = async (
  api: TestApi,
  options: Options & { program?: Record<string, unknown> } = {},
): Promise<TestApplication> => {
  const { program, ...own } = options;
  const merchant = await makeMerchant(api.runtime);
  const { programId } = await makeProgram(api, merchant.key, program);
  const person = await makePerson(api.runtime);
  const { applicationId, affiliateId } = await apply(api.runtime.context(system), programId, { ...person, ...own });
  return { ...merchant, ...person, programId, applicationId, affiliateId };
};
