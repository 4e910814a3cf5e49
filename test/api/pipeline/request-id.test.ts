import { useTestApi } from '../../support/api.ts';

const api = useTestApi();

describe('X-Request-Id', () => {
  it.each(['12345678', 'a'.repeat(128), 'order_5.retry-2', 'ABCDEFGH'])('%s is accepted', async (id) => {
    const answer = await api.call('GET', '/meta', { headers: { 'x-request-id': id } });
    expect([answer.headers['x-request-id'], answer.meta.requestId]).toEqual([id, id]);
  });

  it.each(['1234567', 'a'.repeat(129), 'with space', 'schl\u00fcssel', 'a/b/c/d/e/f', '"quoted-id"', ''])(
    '%j is replaced',
    async (id) => {
      const answer = await api.call('GET', '/meta', { headers: { 'x-request-id': id } });
      expect(answer.headers['x-request-id']).toMatch(/^req_[0-9a-f-]{36}$/);
      expect(answer.meta.requestId).toBe(answer.headers['x-request-id']);
    },
  );

  it('every request without one gets its own', async () => {
    const ids = await Promise.all(Array.from({ length: 20 }, async () => (await api.call('GET', '/meta')).meta.requestId));
    expect(new Set(ids).size).toBe(20);
  });
});
