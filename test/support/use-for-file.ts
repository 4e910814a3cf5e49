/**
 * Opens something once for the test file and closes it after the last test. The returned object is empty until then: read
 * its properties inside tests and hooks only.
 */
export const useForFile = <T extends { close(): Promise<void> }>(open: () => Promise<T>, timeoutMs?: number): T => {
  const opened = {} as T;
  beforeAll(async () => {
    Object.assign(opened, await open());
  }, timeoutMs);
  // `close` is missing when opening failed.
  afterAll(() => (opened as Partial<T>).close?.());
  return opened;
};
