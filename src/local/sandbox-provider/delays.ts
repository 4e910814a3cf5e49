/** Timers that are cancelled when the provider closes. */
export interface Delays {
  after(ms: number, run: () => void): void;
  /** Resolves to false when the provider closed before the time was up. */
  wait(ms: number): Promise<boolean>;
  close(): void;
}

export const createDelays = (): Delays => {
  const pending = new Map<NodeJS.Timeout, () => void>();
  let closed = false;
  const start = (ms: number, run: () => void, cancelled: () => void): void => {
    if (closed) return cancelled();
    const timer = setTimeout(() => {
      pending.delete(timer);
      run();
    }, ms);
    pending.set(timer, cancelled);
  };
  return {
    after: (ms, run) => start(ms, run, () => undefined),
    wait: (ms) =>
      new Promise((resolve) =>
        start(
          ms,
          () => resolve(true),
          () => resolve(false),
        ),
      ),
    close() {
      closed = true;
      for (const [timer, cancelled] of pending) {
        clearTimeout(timer);
        cancelled();
      }
      pending.clear();
    },
  };
};
