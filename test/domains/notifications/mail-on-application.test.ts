import { expireApplication, remindApplication } from '../../../src/domains/applications/index.ts';
import { useOwnApi } from '../../support/api.ts';
import { makeApplication } from '../../support/applications.ts';
import { mailsAbout, testContext } from './support.ts';

const api = useOwnApi();

const kindsOf = async (applicationId: string): Promise<string[]> =>
  (await mailsAbout(api.runtime, applicationId)).map(({ kind, period }) => `${kind} ${period}`.trim());

it('a merchant is told of an application that waits, and of none that is approved at once', async () => {
  const { applicationId, email } = await makeApplication(api);
  const [mail, ...more] = await mailsAbout(api.runtime, applicationId);
  expect(more).toEqual([]);
  expect(mail).toMatchObject({ kind: 'application_waiting', to: expect.stringMatching(/^m-/), waiting: true });
  expect(mail?.text).toContain('Ada Byron');
  expect(mail?.text).not.toContain(email);
  const approved = await makeApplication(api, { skipReview: true });
  expect(await kindsOf(approved.applicationId)).toEqual([]);
});

it.each([
  ['approve', 'approved', 'You were accepted'],
  ['decline', 'declined', 'Your application was declined'],
  ['block', 'blocked', 'Your application was declined'],
])('the applicant is told once of the decision to %s, without the note of the merchant', async (verb, status, title) => {
  const { applicationId, key, email } = await makeApplication(api);
  const body = { note: 'expired' };
  expect((await api.call('POST', `/applications/${applicationId}/${verb}`, { key, body })).status).toBe(200);
  expect((await api.call('POST', `/applications/${applicationId}/${verb}`, { key })).status).toBe(409);
  expect(await kindsOf(applicationId)).toEqual(['application_waiting', `application_decided ${status}`]);
  const [, decided] = await mailsAbout(api.runtime, applicationId);
  expect(decided).toMatchObject({ to: email, subject: expect.stringContaining(title) });
  expect(decided?.text).not.toMatch(/expired|Note|Nobody decided/);
});

it('each reminder is one mail, and an application that expired is told as that', async () => {
  const { applicationId } = await makeApplication(api);
  const { em } = testContext(api.runtime);
  for (let time = 0; time < 2; time++) await remindApplication(testContext(api.runtime), { applicationId, reminder: 1 });
  await em.execute(`update application set due_at = now() - interval '1 minute' where id = ?`, [applicationId]);
  for (let time = 0; time < 2; time++) await expireApplication(testContext(api.runtime), { applicationId });
  expect(await kindsOf(applicationId)).toEqual(['application_waiting', 'application_reminder 1', 'application_decided declined']);
  const [, , expired] = await mailsAbout(api.runtime, applicationId);
  expect(expired?.text).toContain("didn't decide in time");
});

it('the merchant is not reminded of an application to an archived program, and the applicant is told when it expires', async () => {
  const { applicationId, programId, key } = await makeApplication(api);
  const remind = (reminder: number) => remindApplication(testContext(api.runtime), { applicationId, reminder });
  await api.call('DELETE', `/programs/${programId}`, { key });
  expect(await remind(1)).toMatchObject({ reminders: 1, isProgramArchived: true });
  expect(await kindsOf(applicationId)).toEqual(['application_waiting']);
  await api.call('PATCH', `/programs/${programId}`, { key, body: { status: 'active' } });
  expect(await remind(2)).toMatchObject({ reminders: 2, isProgramArchived: false });
  await api.call('DELETE', `/programs/${programId}`, { key });
  const { em } = testContext(api.runtime);
  await em.execute(`update application set due_at = now() - interval '1 minute' where id = ?`, [applicationId]);
  await expireApplication(testContext(api.runtime), { applicationId });
  expect(await kindsOf(applicationId)).toEqual(['application_waiting', 'application_reminder 2', 'application_decided declined']);
});
