import { createRunner } from 'jest-light-runner';
import Tinypool from 'tinypool';

const MEMORY_LIMIT = 1_000_000_000;

// A worker asks for its configuration once it has loaded. The runner would answer the first worker that asks by sending to all
// of them, and a slower one, which cannot listen yet, would wait forever: here each is answered on its own.
const { run } = Tinypool.prototype;
Tinypool.prototype.run = function runInWorker(path) {
  const { options } = this;
  options.maxMemoryLimitBeforeRecycle = MEMORY_LIMIT;
  let send;
  const channel = {
    onMessage(listener) {
      send = listener;
    },
    postMessage(message) {
      if (message !== 'jest-light-runner-get-worker-data') return;
      send({ type: 'jest-light-runner-worker-data', workerData: options.workerData });
    },
  };
  return run.call(this, path, { channel });
};

export default createRunner({ runtime: 'child_process' });
