import type { Socket } from 'node:net';
import { PassThrough } from 'node:stream';
import { skipInterimResponses } from '../../../src/platform/outbound/response-limits.ts';

const CONTINUE = 'HTTP/1.1 100 Continue\r\n\r\n';
const HINTS = 'HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n';
const FINAL = 'HTTP/1.1 200 OK\r\ncontent-length: 25\r\n\r\nHTTP/1.1 100 Continue\r\n\r\n';

/** What a parser reads from a socket that received these chunks one by one. */
const readThrough = async (chunks: readonly string[]): Promise<string> => {
  const socket = new PassThrough().on('error', () => {});
  skipInterimResponses(socket as unknown as Socket);
  let text = '';
  socket.on('readable', () => {
    for (let chunk = socket.read(); chunk !== null; chunk = socket.read()) text += chunk;
  });
  for (const chunk of chunks) {
    socket.write(chunk);
    await new Promise(setImmediate);
  }
  if (socket.errored) throw socket.errored;
  return text;
};

test.each([
  ['none', ''],
  ['one', CONTINUE],
  ['several, in any order', HINTS + CONTINUE + HINTS],
])('interim responses are skipped: %s', async (_name, interim) => {
  expect(await readThrough([interim + FINAL])).toBe(FINAL);
  expect(await readThrough([...(interim + FINAL)])).toBe(FINAL);
});

test.each(['HTTP/1.1 101 Switching Protocols\r\n\r\n', 'this is no http\n', 'HTTP/1.0 200 OK\r\n\r\n'])(
  '%j is left to the parser',
  async (text) => {
    expect(await readThrough([text])).toBe(text);
  },
);

test('more than 20, and one longer than 16 KiB, are bad_response', async () => {
  expect(await readThrough([CONTINUE.repeat(20) + FINAL])).toBe(FINAL);
  await expect(readThrough([CONTINUE.repeat(21) + FINAL])).rejects.toMatchObject({ code: 'bad_response' });
  await expect(readThrough(['HTTP/1.1 103 Early Hints\r\nlink: ', 'x'.repeat(20_000)])).rejects.toMatchObject({
    code: 'bad_response',
  });
});
