/** Everybody gets ready, and all start at once. */
export const raceForBalance = async <T>(racers: number, run: () => Promise<T>): Promise<T[]> => {
  let start: () => void = () => {};
  const shot = new Promise<void>((resolve) => {
    start = resolve;
  });
  const running = Array.from({ length: racers }, () => shot.then(run));
  start();
  return Promise.all(running);
};
