/**
 * Removes from node_modules what no process of this machine reads: native code for other machines, headers and sources that
 * native code is built from, source maps, and TypeScript sources, which Node does not run there. JavaScript without a
 * dependency, because `npm ci` runs it with any version of Node.
 */
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';

const [modules = 'node_modules'] = process.argv.slice(2);
const MACHINES = { x64: 'x86_64', arm64: 'aarch64' };
const SYSTEMS = { linux: 'linux', darwin: 'darwin', win32: 'windows' };

const remove = (path) => rmSync(path, { recursive: true, force: true });

/** Empty for a folder that is not there. */
const entriesOf = (folder) => {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch (error) {
    if (error.code === 'ENOENT') return [];
    throw error;
  }
};

const isForThisMachine = (name) =>
  name.startsWith(`${MACHINES[process.arch]}-`) && name.includes(SYSTEMS[process.platform] ?? process.platform);

const trimTemporal = (folder) => {
  remove(join(folder, 'sdk-core'));
  const builds = entriesOf(join(folder, 'releases')).map(({ name }) => name);
  if (!builds.some(isForThisMachine)) return;
  for (const name of builds) if (!isForThisMachine(name)) remove(join(folder, 'releases', name));
};

const trimNode = () => {
  const packages = entriesOf(modules).filter(({ name }) => name.startsWith('node-linux-'));
  for (const { name } of packages) for (const part of ['include', 'share']) remove(join(modules, name, part));
};

const isUnread = (name) => name.endsWith('.map') || (/\.[cm]?tsx?$/.test(name) && !/\.d(\.\w+)?\.[cm]?ts$/.test(name));

const trimSources = (folder) => {
  for (const entry of entriesOf(folder)) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) trimSources(path);
    else if (entry.isFile() && isUnread(entry.name)) remove(path);
  }
};

trimTemporal(join(modules, '@temporalio/core-bridge'));
trimNode();
trimSources(modules);
