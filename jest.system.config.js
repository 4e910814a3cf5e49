import config, { project, services } from './jest.config.js';

/** What takes long: crashes, outages, attacks, random sequences, generated input, simulated months. */
export default {
  ...config,
  maxWorkers: 2,
  projects: [project('system', ['chaos', 'system'], { ...services, testTimeout: 1_800_000 })],
};
