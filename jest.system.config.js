import config, { project, services } from './jest.config.js';

const more = { ...services, testTimeout: 1_800_000 };

/** What takes long: crashes, outages, attacks, random sequences, generated input, simulated months. CI runs the core. */
export default {
  ...config,
  maxWorkers: 2,
  projects: [project('core', ['core'], more), project('system', ['chaos', 'system'], more)],
};
