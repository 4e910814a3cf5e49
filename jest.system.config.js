import config, { project, services } from './jest.config.js';

/** What takes long: crashes, outages, attacks, random sequences, generated input, simulated months. CI runs the core. */
export default {
  ...config,
  maxWorkers: 2,
  projects: [
    project('core', ['core'], { ...services, testTimeout: 900_000 }),
    project('system', ['chaos', 'system'], { ...services, testTimeout: 3_600_000 }),
  ],
};
