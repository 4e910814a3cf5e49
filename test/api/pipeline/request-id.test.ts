import { useTestApi } from '../../support/api.ts';

const api = useTestApi();

describe('X-Request-Id', () => {
  it.each(['12345678', 'a'.repeat(128), 'order_5.retry-2', 'ABCDEFGH'])('%s is accepted', async (id) => {
    const response = await api.call('GET', '/meta', { headers: { 'x-request-id': id } });
    expect([response.headers['x-request-id'], response.meta.requestId]).toEqual([id, id]);
  });

  it.each(['1234567', 'a'.repeat(129), 'with space', 'schl\u00fcssel', 'a/b/c/d/e/f', '"quoted-id"', ''])(
    '%j is replaced',
    async (id) => {
      const response = await api.call('GET', '/meta', { headers: { 'x-request-id': id } });
      expect(response.headers['x-request-id']).toMatch(/^req_[0-9a-f-]{36}$/);
      expect(response.meta.requestId).toBe(response.headers['x-request-id']);
    },
  );

  it('a request without one gets a generated id', async () => {
    const ids = await Promise.all(Array.from({ length: 20 }, async () => (await api.call('GET', '/meta')).meta.requestId));
    expect(new Set(ids).size).toBe(20);
  });
});
