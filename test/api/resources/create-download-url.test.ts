import { useTestApi } from '../../support/api.ts';
import { makeProgram } from '../../support/factories.ts';
import { ABSENT, addMedia, conflictOf, fieldError, makeFile, makeOwner, makeResource, type Owner } from './support.ts';

const api = useTestApi();

const request = ({ key, programId }: Owner, body: Record<string, unknown>) =>
  api.call('POST', '/marketing-resources/download-url', { key, body: { program_id: programId, ...body } });

it('creates a URL of media, of a file, of the media of a post, and of the files of a collection', async () => {
  const owner = await makeOwner(api);
  const collection_id = await makeResource(api, owner, 'collection');
  const post = await makeResource(api, owner);
  const media = await addMedia(api, owner, post);
  const file = await makeFile(api, owner, { collection_id });
  const cases: [Record<string, unknown>, object][] = [
    [{ media_id: media }, { type: 'media', id: media, file_name: 'launch.png' }],
    [
      { media_id: media, file: true },
      { type: 'media', id: media, file_name: 'launch.png' },
    ],
    [{ resource_id: file }, { type: 'media', id: file, file_name: 'guide.pdf' }],
    [
      { resource_id: file, file: true },
      { type: 'media', id: file, file_name: 'guide.pdf' },
    ],
    [{ resource_id: post }, { type: 'social_post_media', id: post, file_name: 'Launch.zip' }],
    [
      { resource_id: post, bundle: 'social_post_media' },
      { type: 'social_post_media', id: post, file_name: 'Launch.zip' },
    ],
    [{ collection_id }, { type: 'collection_files', id: collection_id, file_name: 'Launch.zip' }],
    [
      { collection_id, bundle: 'collection_files' },
      { type: 'collection_files', id: collection_id, file_name: 'Launch.zip' },
    ],
  ];
  for (const [body, target] of cases) {
    const made = await request(owner, body);
    expect(made).toMatchObject({ status: 200, data: { url: expect.stringContaining('/files/downloads/'), target } });
    const minutes = (Date.parse(made.data.expires_at) - Date.now()) / 60_000;
    expect([minutes > 8, minutes <= 10]).toEqual([true, true]);
  }
});

it('responds 422 unless exactly one target is named, and what it says fits it', async () => {
  const owner = await makeOwner(api);
  const post = await makeResource(api, owner);
  const media = await addMedia(api, owner, post);
  const nothing = await request(owner, {});
  expect(nothing).toMatchObject(fieldError('media_id'));
  expect(nothing.error.message).toContain('media_id is required, unless resource_id or collection_id is given');
  expect(await request(owner, { media_id: media, resource_id: post })).toMatchObject(fieldError('resource_id'));
  expect(await request(owner, { resource_id: post, bundle: 'collection_files' })).toMatchObject(fieldError('bundle'));
  expect(await request(owner, { media_id: media, bundle: 'social_post_media' })).toMatchObject(fieldError('bundle'));
  expect(await request(owner, { resource_id: post, file: true })).toMatchObject(fieldError('file'));
  expect(await request(owner, { resource_id: post, file: false })).toMatchObject(fieldError('file'));
});

it('responds 409 NOTHING_TO_DOWNLOAD without files', async () => {
  const owner = await makeOwner(api);
  for (const body of [
    { resource_id: await makeResource(api, owner) },
    { resource_id: await makeResource(api, owner, 'swipe_copy') },
    { collection_id: await makeResource(api, owner, 'collection') },
  ])
    expect(await request(owner, body)).toMatchObject(conflictOf(409, 'NOTHING_TO_DOWNLOAD'));
});

it('responds 404 for what is missing, of another own program or no collection; 403 for what is foreign', async () => {
  const [owner, other] = [await makeOwner(api), await makeOwner(api)];
  const [file, foreign] = [await makeFile(api, owner), await makeFile(api, other)];
  const foreignMedia = await addMedia(api, other, await makeResource(api, other));
  const second = await makeProgram(api, owner.key);
  for (const body of [
    { media_id: ABSENT },
    { resource_id: ABSENT },
    { collection_id: ABSENT },
    { collection_id: file },
    { resource_id: file, program_id: second.programId },
    { resource_id: file, program_id: ABSENT },
  ])
    expect([body, (await request(owner, body)).status]).toEqual([body, 404]);
  for (const body of [{ resource_id: foreign }, { media_id: foreignMedia }, { resource_id: file, program_id: other.programId }])
    expect([body, (await request(owner, body)).status]).toEqual([body, 403]);
});
