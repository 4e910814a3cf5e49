import { keptHeaders } from '../../../src/platform/outbound/response-limits.ts';

test('H15: of a response, only the headers on the list are kept', () => {
  const sent = {
    'content-type': 'text/plain',
    'retry-after': ['1', '2'],
    'x-request-id': 'req-1',
    'x-api-key': 'top-secret',
    'set-cookie': ['session=top-secret'],
    authorization: 'top-secret',
    'x-amz-security-token': 'top-secret',
  };
  expect(keptHeaders(sent)).toEqual({ 'content-type': 'text/plain', 'retry-after': '1, 2', 'x-request-id': 'req-1' });
});

test('H15: of a redirect, the address is kept without credentials, query and fragment', () => {
  expect(keptHeaders({ location: 'https://user:top-secret@example.com/login?token=top-secret#top-secret' })).toEqual({
    location: 'https://example.com/login',
  });
  expect(keptHeaders({ location: '/login?token=top-secret' })).toEqual({ location: '/login' });
});
