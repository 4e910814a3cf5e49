/**
 * In a program that `startChild` starts: performs each request that is sent to it as a message and replies with the result,
 * or with `error`.
 */
export const performRequests = <Request>(perform: (request: Request) => Promise<object>): void => {
  process.on('message', (request) => {
    // `cpu.ts` replies to it.
    if (request === 'cpu') return;
    void perform(request as Request).then(
      (result) => process.send?.(result),
      (error: unknown) => process.send?.({ error: String(error) }),
    );
  });
  process.send?.('ready');
};
