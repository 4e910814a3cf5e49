import type { ApplicationReviewResult } from '../../src/contracts/workflows/application-review.ts';
import { erasePerson } from '../../src/domains/me/index.ts';
import { DAY_MS } from '../../src/platform/clock.ts';
import { firstRow, sql } from '../../src/platform/database/sql.ts';
import { makeApplication, type TestApplication } from '../support/applications.ts';
import { makeAffiliateKey } from '../support/factories.ts';
import { recordHistory } from '../support/histories.ts';
import { useTestSystem } from '../support/system.ts';
import { until } from '../support/until.ts';
import { currentDetailsOf } from '../support/workflow-details.ts';

const system = useTestSystem({ env: { TEMPORAL_UI_URL: 'http://ui.example/' }, reconcile: { everyMs: 200, graceMs: 0 } });

const workflowOf = ({ applicationId }: TestApplication) =>
  system.temporal.clients.finance.workflow.getHandle<() => Promise<ApplicationReviewResult>>(`application/${applicationId}`);

const detailsOf = (application: TestApplication, part: string) =>
  until(
    `the page of the application shows "${part}"`,
    () => currentDetailsOf(workflowOf(application)).catch(() => ''),
    (text) => text.includes(part),
  );

const review = ({ applicationId, key }: TestApplication, verb: string, body: object = {}) =>
  system.call('POST', `/applications/${applicationId}/${verb}`, { key, body });

const rowOf = ({ applicationId }: TestApplication) =>
  firstRow(
    system.runtime.context({ kind: 'system', name: 'test' }).em,
    sql<{ reminders: number; status: string; note: string | null; ignored: boolean }>`select reminders, status, note,
      cancellation_ignored_at is not null as ignored from application where id = ${applicationId}::uuid`,
  );

it('the review shows what support needs without personal data, and ends when the merchant approves', async () => {
  const application = await makeApplication(system);
  const { applicationId, affiliateId, merchantId, programId, email } = application;
  const details = await detailsOf(application, 'reminder 1 at');
  expect(details).toContain(`affiliate \`${affiliateId}\``);
  expect(details).toContain(`POST /applications/${applicationId}/approve`);
  expect(details).toMatch(/Waiting for: the merchant to decide; reminder 1 at \d{4}-\d\d-\d\d \d\d:\d\d UTC/);
  const workflow = workflowOf(application);
  const { searchAttributes, memo, raw } = await workflow.describe();
  expect(memo ?? {}).toEqual({});
  expect(searchAttributes).toMatchObject({
    MerchantId: [merchantId],
    ProgramId: [programId],
    AffiliateId: [affiliateId],
    State: ['to_decide'],
    NeedsAttention: [false],
  });
  const dueMs = new Date(String(searchAttributes['DecideBy']?.[0])).getTime();
  expect(dueMs - Date.now()).toBeGreaterThan(29 * DAY_MS);
  expect(JSON.stringify(raw)).not.toContain(email);
  expect(await workflow.query('currentState')).toEqual({
    status: 'pending',
    reminders: 0,
    waitingFor: 'the merchant to decide',
  });

  expect((await review(application, 'approve')).status).toBe(200);
  expect(await workflow.result()).toMatchObject({ status: 'approved', expired: false, applicationId, affiliateId });
  expect((await workflow.describe()).searchAttributes).toMatchObject({ State: ['approved'], NeedsAttention: [false] });
  expect(await detailsOf(application, 'Approved')).toContain('The applicant is an affiliate of the program.');
  expect(JSON.stringify(await workflow.fetchHistory())).not.toContain(Buffer.from(email).toString('base64').slice(0, 12));
  await recordHistory(workflow, 'applicationReview', 'approved');
});

it.each(['decline', 'block'])('the review ends when the merchant chooses %s', async (verb) => {
  const application = await makeApplication(system);
  await detailsOf(application, 'Waiting');
  const status = (await review(application, verb, { note: 'No' })).data.status;
  expect(await workflowOf(application).result()).toMatchObject({ status, expired: false });
});

it('the review goes on waiting when an approval is refused because the program was archived, and ends with the decline', async () => {
  const application = await makeApplication(system);
  await detailsOf(application, 'Waiting');
  await system.call('DELETE', `/programs/${application.programId}`, { key: application.key });
  expect((await review(application, 'approve')).error.details.reason).toBe('PROGRAM_INACTIVE');
  expect(await detailsOf(application, 'reminder 1')).toContain('Waiting');
  expect((await review(application, 'decline')).status).toBe(200);
  expect(await workflowOf(application).result()).toMatchObject({ status: 'declined', expired: false });
});

it('the review ends when the data of the applicant is erased', async () => {
  const application = await makeApplication(system);
  await detailsOf(application, 'Waiting');
  await erasePerson(system.runtime.context({ kind: 'system', name: 'test' }), { email: application.email });
  expect(await workflowOf(application).result()).toMatchObject({ status: 'withdrawn', expired: false });
});

it('the review ends when the applicant withdraws', async () => {
  const application = await makeApplication(system);
  await detailsOf(application, 'Waiting');
  const key = await makeAffiliateKey(system.runtime, application.profileId);
  expect((await system.call('POST', `/me/applications/${application.applicationId}/withdraw`, { key })).status).toBe(200);
  expect(await workflowOf(application).result()).toMatchObject({ status: 'withdrawn' });
  await recordHistory(workflowOf(application), 'applicationReview', 'withdrawn');
});

it('a decision that comes before the workflow was started is seen by it, or needs none', async () => {
  const application = await makeApplication(system);
  await review(application, 'approve');
  const ended = await until(
    'the workflow is completed',
    () =>
      workflowOf(application)
        .describe()
        .catch(() => null),
    (described) => described?.status.name === 'COMPLETED',
  );
  expect(ended?.status.name).toBe('COMPLETED');
  expect(await workflowOf(application).result()).toMatchObject({ status: 'approved' });
});

it('a cancellation from the UI is noted and has no effect', async () => {
  const application = await makeApplication(system);
  await detailsOf(application, 'Waiting');
  await workflowOf(application).cancel();
  expect(await detailsOf(application, 'Cancellation')).toContain('requested in Temporal');
  expect(await rowOf(application)).toMatchObject({ status: 'pending', ignored: true });
  await review(application, 'decline');
  expect(await workflowOf(application).result()).toMatchObject({ status: 'declined' });
  await recordHistory(workflowOf(application), 'applicationReview', 'cancellation-ignored');
});

it('a terminated workflow comes back, and sees the decision', async () => {
  const application = await makeApplication(system);
  await detailsOf(application, 'Waiting');
  const first = (await workflowOf(application).describe()).runId;
  await workflowOf(application).terminate('by mistake');
  const again = await until(
    'another run has started',
    () => workflowOf(application).describe(),
    ({ runId, status }) => runId !== first && status.name === 'RUNNING',
  );
  expect(again.runId).not.toBe(first);
  await review(application, 'approve');
  expect(await workflowOf(application).result()).toMatchObject({ status: 'approved' });
});

describe('with a deadline of seconds', () => {
  const fast = useTestSystem({ applicationTiming: { remindAfterMs: [500, 1_500], expireAfterMs: 8_000 } });

  it('the merchant is reminded twice, and then the application is declined with the note expired', async () => {
    const application = await makeApplication(fast);
    const workflow = fast.temporal.clients.finance.workflow.getHandle(`application/${application.applicationId}`);
    const read = () => fast.call('GET', `/applications/${application.applicationId}`, { key: application.key });
    const reminded = await until(
      'the application needs attention',
      () => workflow.describe().catch(() => null),
      (described) => described?.searchAttributes['NeedsAttention']?.[0] === true,
    );
    expect(reminded?.searchAttributes['State']).toEqual(['to_decide']);
    expect(await workflow.query('currentState')).toMatchObject({ reminders: 2 });
    expect(await workflow.result()).toMatchObject({ status: 'declined', expired: true });
    expect((await read()).data).toMatchObject({ status: 'declined', note: 'expired', dueAt: null });
    expect((await workflow.describe()).searchAttributes).toMatchObject({ State: ['expired'], NeedsAttention: [false] });
    await recordHistory(workflow, 'applicationReview', 'expired');
  });
});
