/** Timers that end with the provider. */
export interface Delays {
  after(ms: number, work: () => void): void;
  /** Resolves false when the provider closed in the meantime. */
  wait(ms: number): Promise<boolean>;
  close(): void;
}

export const createDelays = (): Delays => {
  const pending = new Map<NodeJS.Timeout, () => void>();
  let closed = false;
  const start = (ms: number, work: () => void, cancelled: () => void): void => {
    if (closed) return cancelled();
    const timer = setTimeout(() => {
      pending.delete(timer);
      work();
    }, ms);
    pending.set(timer, cancelled);
  };
  return {
    after: (ms, work) => start(ms, work, () => undefined),
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
