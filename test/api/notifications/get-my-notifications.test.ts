import { startMailTry } from '../../../src/domains/notifications/index.ts';
import { testContext } from '../../domains/notifications/support.ts';
import { anyAddress, useTestApi } from '../../support/api.ts';
import { makeAffiliate, makeAffiliateKey } from '../../support/factories.ts';
import { ALL_ON, announced, makeJoined, notificationsOf } from './support.ts';

const api = useTestApi();

test('what was unsubscribed by the link of a mail is shown, and can be switched on again', async () => {
  const owner = await makeJoined(api);
  const { get, put } = notificationsOf(api, owner.affiliateKey);
  const [mail] = await announced(api, owner);
  const step = await startMailTry(testContext(api.runtime), { mailId: mail?.id ?? '' });
  const url = step.kind === 'send' ? new URL(step.mail.unsubscribeUrl ?? '').pathname : '';
  const unsubscribe = (list: string) =>
    api.app.inject({
      method: 'POST',
      url,
      remoteAddress: anyAddress(),
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      payload: `list=${list}`,
    });
  expect((await unsubscribe('program')).statusCode).toBe(200);
  expect(await get()).toEqual({ ...ALL_ON, mutedPrograms: [owner.programId] });
  expect((await unsubscribe('all')).statusCode).toBe(200);
  expect(await get()).toEqual({ ...ALL_ON, programNews: false, mutedPrograms: [owner.programId] });
  expect((await put({ programNews: true, mutedPrograms: [] })).data).toEqual(ALL_ON);
  expect(await announced(api, owner)).toHaveLength(1);
});

test('nobody changes what another affiliate of the program gets', async () => {
  const owner = await makeJoined(api);
  const { profileId } = await makeAffiliate(api.runtime, owner.programId);
  await notificationsOf(api, owner.affiliateKey).put({
    completedPayouts: false,
    programNews: false,
    mutedPrograms: [owner.programId],
  });
  expect(await notificationsOf(api, await makeAffiliateKey(api.runtime, profileId)).get()).toEqual(ALL_ON);
});
