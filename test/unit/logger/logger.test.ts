import { createLogger, type Logger } from '../../../src/platform/logger.ts';

/** The lines that a logger writes to standard output. */
const linesOf = (work: (log: Logger) => void): Record<string, unknown>[] => {
  const lines: string[] = [];
  const log = createLogger({ level: 'info', process: 'test' });
  const streamKey = Object.getOwnPropertySymbols(log).find(({ description }) => description === 'pino.stream');
  if (!streamKey) throw new Error('pino has no stream');
  Object.assign(log, { [streamKey]: { write: (line: string) => lines.push(line) } });
  work(log);
  return lines.map((line) => JSON.parse(line));
};

test('fields that hold secrets or personal data are hidden, also one level below', () => {
  const secrets = {
    email: 'ada@example.com',
    secret: 'whsec_x',
    authorization: 'Bearer ak_live_x',
    apiKey: 'ak_live_x',
    value: 'ak_live_x',
    signingSecret: 'whsec_x',
    paypalEmail: 'ada@example.com',
    bankIban: 'DE89370400440532013000',
  };
  const [line] = linesOf((log) => log.info({ ...secrets, of: secrets, id: 'p1' }, 'message'));
  const hidden = Object.fromEntries(Object.keys(secrets).map((name) => [name, '[hidden]']));
  expect(line).toMatchObject({ ...hidden, of: hidden, id: 'p1', msg: 'message' });
});

test('an error is its type, its code and its own message, without the values that a driver adds', () => {
  const message = 'insert into person (email) values (ada@example.com) - duplicate key: (email)=(ada@example.com)';
  const [line] = linesOf((log) =>
    log.error({ err: Object.assign(new Error(message), { code: '23505', detail: 'ada' }) }, 'failed'),
  );
  expect(line?.['err']).toMatchObject({ type: 'Error', code: '23505' });
  expect(JSON.stringify(line)).not.toContain('ada');
});
