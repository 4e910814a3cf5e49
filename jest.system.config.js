import config, { project, services } from './jest.config.js';

const system = (displayName, more) => project(displayName, [], { ...services, testTimeout: 1_800_000, ...more });

/** What takes long: crashes, outages, attacks, random sequences, generated input, simulated months. */
export default {
  ...config,
  maxWorkers: 2,
  projects: [system('system', { testMatch: ['<rootDir>/test/{chaos,system}/**/*.test.ts'] })],
};
