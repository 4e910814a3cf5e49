import { createAffiliate, expireApplication } from '../../../src/domains/applications/index.ts';
import { after, DAY_MS } from '../../../src/platform/clock.ts';
import { rows, sql } from '../../../src/platform/database/sql.ts';
import { useTestApi } from '../../support/api.ts';
import { makeApplication, type TestApplication } from '../../support/applications.ts';
import { makeAffiliateKey } from '../../support/factories.ts';

/** Each race is run this often, on a new application. */
const ROUNDS = 25;

const api = useTestApi();
const system = { kind: 'system', name: 'test' } as const;

type Racer = (application: TestApplication) => Promise<string>;

const decide =
  (verb: 'approve' | 'decline' | 'block'): Racer =>
  async ({ applicationId, key }) => {
    const { status, data, error } = await api.call('POST', `/applications/${applicationId}/${verb}`, { key });
    return status === 200 ? data.status : error.details.reason;
  };

const withdraw: Racer = async ({ applicationId, profileId }) => {
  const key = await makeAffiliateKey(api.runtime, profileId);
  const { status, data, error } = await api.call('POST', `/me/applications/${applicationId}/withdraw`, { key });
  return status === 200 ? data.status : error.details.reason;
};

/** Runs 30 days later than everybody else. */
const expire: Racer = async ({ applicationId }) => {
  const clock = { now: () => after(new Date(), 31 * DAY_MS) };
  const { status, expired } = await expireApplication({ ...api.runtime.context(system), clock }, { applicationId });
  return expired ? 'expired' : `seen as ${status}`;
};

const add: Racer = async ({ programId, email, affiliateId }) => {
  const added = await createAffiliate(api.runtime.context(system), { programId, email, name: 'Ada', source: 'api' });
  return added.affiliateId === affiliateId ? 'added' : 'added anew';
};

const storedOf = async ({ applicationId, profileId, programId }: TestApplication) => {
  const [found] = await rows(
    api.runtime.context(system).em,
    sql<{ status: string; memberships: number; approvals: number; links: number }>`select a.status,
        (select count(*)::int from affiliate m where m.profile_id = ${profileId}::uuid) as memberships,
        (select count(*)::int from link l join affiliate m on m.id = l.affiliate_id where m.profile_id = ${profileId}::uuid) as links,
        (select count(*)::int from webhook_event e where e.type = 'affiliate.approved' and e.program_id = ${programId}::uuid) as approvals
      from application a where a.id = ${applicationId}::uuid`,
  );
  return found;
};

/** Lets all racers start at once, and returns what they answered and what is stored. */
const race = async (...racers: Racer[]) => {
  const application = await makeApplication(api);
  const outcomes = await Promise.all(racers.map((run) => run(application)));
  return { outcomes, stored: await storedOf(application) };
};

const MEMBER = { memberships: 1, approvals: 1, links: 1 };
const NONE = { memberships: 0, approvals: 0, links: 0 };

test.each<[string, Racer[]]>([
  ['approve against withdraw', [decide('approve'), withdraw]],
  ['two approvals', [decide('approve'), decide('approve')]],
  ['a block in the middle of approve and decline', [decide('approve'), decide('block'), decide('decline')]],
])('%s: one decision is made, and the others are refused', async (_name, racers) => {
  for (let round = 0; round < ROUNDS; round++) {
    const { outcomes, stored } = await race(...racers);
    const made = outcomes.filter((outcome) => outcome !== 'ALREADY_DECIDED');
    expect([outcomes, made.length]).toEqual([outcomes, 1]);
    expect(stored).toEqual({ status: made[0], ...(made[0] === 'approved' ? MEMBER : NONE) });
  }
});

test('expiry against approve: one of them is made, and the other sees it', async () => {
  for (let round = 0; round < ROUNDS; round++) {
    const { outcomes, stored } = await race(expire, decide('approve'));
    expect(['seen as approved,approved', 'expired,ALREADY_DECIDED']).toContain(outcomes.join());
    const isApproved = outcomes[1] === 'approved';
    expect(stored).toEqual({ status: isApproved ? 'approved' : 'declined', ...(isApproved ? MEMBER : NONE) });
  }
});

test('approve while the merchant adds the person: one membership, one event, whoever is first', async () => {
  for (let round = 0; round < ROUNDS; round++) {
    const { outcomes, stored } = await race(decide('approve'), add);
    expect(['approved,added', 'ALREADY_DECIDED,added']).toContain(outcomes.join());
    expect(stored).toEqual({ status: 'approved', ...MEMBER });
  }
});

test('a decision is signalled with the state that it made, although the start still waits in the outbox', async () => {
  const application = await makeApplication(api);
  await decide('approve')(application);
  const waiting = await rows(
    api.runtime.context(system).em,
    sql<{ topic: string; status: string | null; version: number | null }>`select topic, payload #>> '{snapshot,status}' as status,
      (payload #>> '{snapshot,version}')::int as version from outbox where subject_id = ${application.applicationId}::uuid order by seq`,
  );
  expect(waiting).toEqual([
    { topic: 'application.start', status: null, version: null },
    { topic: 'application.changed', status: 'approved', version: 2 },
  ]);
});
