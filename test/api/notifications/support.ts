import { mailsAbout, testContext } from '../../domains/notifications/support.ts';
import type { TestApi } from '../../support/api.ts';
import { rowsOf } from '../../support/rail-payouts.ts';
import { act, makeOwner, makeResource, type Owner } from '../resources/support.ts';

export const ALL_ON = { completedPayouts: true, programNews: true, mutedPrograms: [] };

/** What the owner of a key is written to about, and changes of it. */
export const notificationsOf = (api: TestApi, key: string) => ({
  get: async () => (await api.call('GET', '/me/notifications', { key })).data,
  put: (body: object) => api.call('PUT', '/me/notifications', { key, body }),
});

/** A merchant with a program that an affiliate joined by an act of their own. */
export const makeJoined = async (api: TestApi): Promise<Owner> => {
  const owner = await makeOwner(api);
  await rowsOf(api, 'update affiliate set joined_at = now() where program_id = ? returning id', [owner.programId]);
  return owner;
};

/** The mails about something new in the program. */
export const announced = async (api: TestApi, owner: Owner) => {
  const id = await makeResource(api, owner, 'social_post', { status: 'published' });
  await act(api, owner, id, 'notify');
  await api.runtime.writeResourceMails(testContext(api.runtime));
  return mailsAbout(api.runtime, id);
};
