/**
 * Opens something once for the test file and closes it after the last test. The returned object is empty until then: read
 * its properties inside tests and hooks only.
 */
export const useForFile = <T extends { close(): Promise<void> }>(open: () => Promise<T>): T => {
  const opened = {} as T;
  beforeAll(async () => {
    Object.assign(opened, await open());
  });
  // `close` is missing when opening failed.
  afterAll(async () => {
    await (opened as Partial<T>).close?.();
    // The module of a test file is kept until its process ends, and what it refers to with it.
    for (const key of Object.keys(opened)) delete (opened as Record<string, unknown>)[key];
  });
  return opened;
};
