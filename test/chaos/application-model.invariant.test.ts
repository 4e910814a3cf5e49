import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { blockAffiliate, unblockAffiliate } from '../../src/domains/affiliates/use-cases/affiliate.ts';
import { createAffiliate, expireApplication, remindApplication } from '../../src/domains/applications/index.ts';
import {
  approveApplication,
  blockApplication,
  declineApplication,
  withdrawApplication,
} from '../../src/domains/applications/use-cases/application.ts';
import { after, DAY_MS } from '../../src/platform/clock.ts';
import type { Actor, Context } from '../../src/platform/context.ts';
import { rows, sql } from '../../src/platform/database/sql.ts';
import { AppError } from '../../src/platform/errors.ts';
import { useOwnApi } from '../support/api.ts';
import { apply, makePerson, type TestPerson } from '../support/applications.ts';
import { makeMerchant, makeProgram, type TestMerchant } from '../support/factories.ts';
import { advance, EMPTY, type Model, possibleModels, rounds, type Step, stepOf } from './support/application-model.ts';
import { modelRuns } from './support/model-runs.ts';

/** C4: applications as a small model, against the database. `npm run chaos` sets the number of runs. */
const RUNS = modelRuns(200);
const START = new Date();

const api = useOwnApi();
let merchant: TestMerchant;
let programId: string;
beforeAll(async () => {
  merchant = await makeMerchant(api.runtime);
  ({ programId } = await makeProgram(api, merchant.key));
});

interface StoredApplication {
  id: string;
  affiliateId: string;
  status: string;
  expired: boolean;
  reminders: number;
}

const applicationsOf = ({ profileId }: TestPerson): Promise<StoredApplication[]> =>
  rows(
    api.runtime.context({ kind: 'system', name: 'test' }).em,
    sql<StoredApplication>`select id, affiliate_id as "affiliateId", status, status = 'declined' and decided_by is null as expired,
      reminders from application where profile_id = ${profileId}::uuid order by created_at, id`,
  );

/** Performs a step at a time, and returns what it answered. */
const perform = async (person: TestPerson, model: Model, step: Step): Promise<string> => {
  const at = (actor: Actor): Context => ({ ...api.runtime.context(actor), clock: { now: () => after(START, model.nowMs) } });
  const system = at({ kind: 'system', name: 'test' });
  const asMerchant = at({ kind: 'key', keyId: merchant.keyId, keyType: 'merchant', ownerId: merchant.merchantId, scopes: [] });
  const asPerson = at({ kind: 'key', keyId: merchant.keyId, keyType: 'affiliate', ownerId: person.profileId, scopes: [] });
  const stored = await applicationsOf(person);
  const on = 'on' in step ? (stored[step.on]?.id ?? '') : '';
  switch (step.kind) {
    case 'apply':
      return (await apply(system, programId, { profileId: person.profileId })).status;
    case 'apply and skip the review':
      return (await apply(system, programId, { profileId: person.profileId, skipReview: true })).status;
    case 'add': {
      const { affiliateId } = await createAffiliate(asMerchant, {
        programId,
        email: person.email,
        name: 'Ada',
        source: 'import',
      });
      return `affiliate of ${(await applicationsOf(person)).findIndex((one) => one.affiliateId === affiliateId)}`;
    }
    case 'block member':
    case 'unblock member': {
      const [member] = await rows(
        system.em,
        sql<{ id: string }>`select id from affiliate where profile_id = ${person.profileId}::uuid`,
      );
      if (!member) return 'NOT_FOUND';
      return (await (step.kind === 'block member' ? blockAffiliate : unblockAffiliate)(asMerchant, member)).status;
    }
    case 'approve':
      return (await approveApplication(asMerchant, { id: on })).status;
    case 'decline':
      return (await declineApplication(asMerchant, { id: on })).status;
    case 'block':
      return (await blockApplication(asMerchant, { id: on })).status;
    case 'withdraw':
      return (await withdrawApplication(asPerson, { id: on })).status;
    case 'expire':
      return (await expireApplication(system, { applicationId: on })).status;
    case 'remind': {
      const { status, reminders } = await remindApplication(system, {
        applicationId: on,
        reminder: step.reminder,
      });
      return `${status} ${reminders}`;
    }
  }
};

const outcomeOf = (performed: Promise<string>): Promise<string> =>
  performed.catch((error: unknown) => {
    if (error instanceof AppError) return String(error.details?.['reason'] ?? error.code);
    throw error;
  });

/** Everything that the model predicts, as it is stored. */
const storedState = async (person: TestPerson) => {
  const found = await applicationsOf(person);
  const em = api.runtime.context({ kind: 'system', name: 'test' }).em;
  const members = await rows(
    em,
    sql<{ id: string; blocked: boolean; links: number; approvals: number }>`select a.id, a.status = 'blocked' as blocked,
        (select count(*)::int from link l where l.affiliate_id = a.id) as links,
        (select count(*)::int from webhook_event e where e.id > ${person.profileId}::uuid and e.type = 'affiliate.approved'
          and convert_from(e.body, 'UTF8')::jsonb #>> '{data,id}' = a.id::text) as approvals
      from affiliate a where a.profile_id = ${person.profileId}::uuid`,
  );
  return {
    applications: found.map(({ status, expired, reminders }) => ({ status, expired, reminders })),
    members: members.map(({ id, ...member }) => ({ ...member, of: found.findIndex(({ affiliateId }) => affiliateId === id) })),
  };
};

const predictedState = ({ applications, membership }: Model) => ({
  applications: applications.map(({ status, expired, reminders }) => ({ status, expired, reminders })),
  members: membership ? [{ ...membership, links: 1, approvals: 1 }] : [],
});

it(`${RUNS.numRuns} random interleavings of applications and decisions agree with the model`, async () => {
  await fc.assert(
    fc.asyncProperty(rounds, async (sequence) => {
      const person = await makePerson(api.runtime);
      let model = EMPTY;
      for (const { days, choices } of sequence) {
        model = { ...model, nowMs: model.nowMs + days * DAY_MS };
        const steps = choices.flatMap((choice) => stepOf(choice, model) ?? []);
        const outcomes = await Promise.all(steps.map((step) => outcomeOf(perform(person, model, step))));
        const stored = await storedState(person);
        const possible = possibleModels(model, steps, outcomes);
        const next = possible.find((one) => isDeepStrictEqual(predictedState(one), stored));
        expect([steps, outcomes, stored, next ? 'explained' : possible.map(predictedState)]).toEqual([
          steps,
          outcomes,
          stored,
          'explained',
        ]);
        model = next ?? model;
      }
    }),
    RUNS,
  );
});

it('the model tells one decision from two: a second one is refused in every order', () => {
  const { model } = advance(EMPTY, { kind: 'apply' });
  const steps: Step[] = [
    { kind: 'approve', on: 0 },
    { kind: 'withdraw', on: 0 },
  ];
  expect(possibleModels(model, steps, ['approved', 'withdrawn'])).toEqual([]);
  expect(possibleModels(model, steps, ['approved', 'ALREADY_DECIDED'])).toHaveLength(1);
});
