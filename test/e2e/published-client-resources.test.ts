import { type AgentRef, ConflictError, ForbiddenError, NotFoundError } from 'agentref';
import { ABSENT, fileOf, makeOwner, put } from '../api/resources/support.ts';
import { useTestApi } from '../support/api.ts';
import { unique } from '../support/factories.ts';
import { listenForClients } from '../support/published-client.ts';

const api = useTestApi();
let clientOf: (apiKey: string) => AgentRef['marketingResources'];
beforeAll(async () => {
  const open = await listenForClients(api);
  clientOf = (apiKey) => open(apiKey).marketingResources;
});

test('marketingResources: every method of merchants and affiliates', async () => {
  const owner = await makeOwner(api, 'pro', { website: 'https://acme.example' });
  const { programId } = owner;
  const client = clientOf(owner.key);
  const post = await client.createSocialPost(
    programId,
    {
      title: 'Launch',
      body: '{{program_name}} {{affiliate_code}}',
      platforms: ['x', 'generic'],
      description: null,
      collectionId: null,
    },
    { idempotencyKey: unique() },
  );
  expect(post).toMatchObject({ title: 'Launch', kind: 'social_post', status: 'draft' });
  expect(await client.updateSocialPost(post.id, { programId, title: 'Relaunch', instructions: 'Soon' })).toMatchObject({
    title: 'Relaunch',
    instructions: 'Soon',
    platforms: ['x', 'generic'],
  });

  const upload = async () => {
    const facts = { programId, fileName: 'launch.png', mimeType: 'image/png', fileSizeBytes: 200 };
    const session = await client.createSocialPostMediaUploadSession(post.id, facts, { idempotencyKey: unique() });
    await put(api, session.signed_url, fileOf('image/png'));
    return { programId, uploadPath: session.upload_path, uploadToken: session.upload_token, fileName: 'launch.png' };
  };
  await client.completeSocialPostMediaUpload(post.id, { ...(await upload()), altText: 'A dashboard', sortOrder: 0 });
  const completed = await client.completeSocialPostMediaUpload(post.id, await upload());
  const [one, two] = (completed as unknown as { media: { id: string }[] }).media.map(({ id }) => id);
  expect(await client.reorderSocialPostMedia(post.id, { programId, mediaIds: [two ?? '', one ?? ''] })).toMatchObject([
    { id: two },
    { id: one },
  ]);
  expect(await client.updateSocialPostMedia(post.id, one ?? '', { programId, altText: null })).toMatchObject({ id: post.id });
  expect(await client.replaceSocialPostMedia(post.id, one ?? '', await upload())).toMatchObject({
    media: [{ id: two }, { id: one }],
  });
  expect(await client.removeSocialPostMedia(post.id, two ?? '', { programId })).toEqual({ removed: true, media_id: two });

  expect(await client.publish(post.id, { programId, notifyAffiliates: true })).toMatchObject({
    resource: { id: post.id, status: 'published' },
    notification: { requested: true, accepted: true },
  });
  expect(await client.notifyAffiliates(post.id, { programId })).toMatchObject({ requested: true, accepted: true });
  expect(
    await client.list(programId, { kind: 'social_posts', status: 'published', search: 'relaunch', limit: 10, offset: 0 }),
  ).toMatchObject([{ id: post.id }]);
  expect(await client.list(programId, { kind: 'drafts' })).toEqual([]);
  expect(await client.createDownloadUrl({ programId, mediaId: one ?? '' })).toMatchObject({
    url: expect.any(String),
    expires_at: expect.any(String),
  });

  const own = clientOf(owner.affiliateKey);
  expect(await own.listForAffiliate(programId, { kind: 'all', search: 'launch', limit: 5, offset: 0 })).toMatchObject([
    { id: post.id },
  ]);
  expect(await own.getForAffiliate(post.id, { programId })).toMatchObject({ id: post.id });
  expect(await own.createAffiliateDownloadUrl({ programId, resourceId: post.id, bundle: 'social_post_media' })).toMatchObject({
    target: { type: 'social_post_media', id: post.id },
  });
  expect(await own.renderSocialPost(post.id, { programId })).toEqual({
    body: expect.stringContaining(owner.code),
    disclosure: '#ad',
  });

  expect(await client.unpublish(post.id, { programId })).toMatchObject({ status: 'draft' });
  expect(await client.archive(post.id, { programId })).toMatchObject({ status: 'archived' });
});

test('marketingResources: errors are those of the client', async () => {
  const [owner, other] = [await makeOwner(api, 'free'), await makeOwner(api)];
  const { programId } = owner;
  const client = clientOf(owner.key);
  const post = await client.createSocialPost(programId, { title: 'Launch', body: 'Text', platforms: ['x'], status: 'published' });
  await expect(client.notifyAffiliates(post.id, { programId })).rejects.toBeInstanceOf(ConflictError);
  await expect(client.archive(ABSENT, { programId })).rejects.toBeInstanceOf(NotFoundError);
  await expect(clientOf(other.key).archive(post.id, { programId: other.programId })).rejects.toBeInstanceOf(ForbiddenError);
  await expect(clientOf(other.affiliateKey).getForAffiliate(post.id, { programId })).rejects.toBeInstanceOf(ForbiddenError);
});
