/** Starts all runs at the same moment. */
export const raceForBalance = async <T>(racers: number, run: () => Promise<T>): Promise<T[]> => {
  let start: () => void = () => {};
  const started = new Promise<void>((resolve) => {
    start = resolve;
  });
  const running = Array.from({ length: racers }, () => started.then(run));
  start();
  return Promise.all(running);
};
