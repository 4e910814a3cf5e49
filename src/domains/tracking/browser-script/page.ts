import type { ScriptConfig, Warning } from './script-config.ts';
import { repairQuery } from './shared-links.ts';

/** The server wraps the script in a function with this parameter. */
declare const CONFIG: ScriptConfig;
export const config = CONFIG;

/** Browsers throw where access is blocked; the script never throws into the page. */
export const attempt = <T>(run: () => T, onError: () => T): T => {
  try {
    return run();
  } catch {
    return onError();
  }
};

export const TOKEN_PARAMETER = 'agentref_cid';

const readQuery = (): string => repairQuery(location.search.slice(1), [...config.parameters, TOKEN_PARAMETER]);

/** All values of a parameter in the URL of the page. */
export const queryValues = (name: string): string[] => new URLSearchParams(readQuery()).getAll(name);

export const isDebug = queryValues('agentref_debug').includes('1') || document.currentScript?.dataset['debug'] === 'true';

export const log = (...parts: unknown[]): void => {
  // biome-ignore lint/suspicious/noConsole: debug mode prints to the console of the page
  if (isDebug) console.info('[AgentRef]', ...parts);
};

export const warnings = new Set<Warning>();

export const warn = (code: Warning): void => {
  warnings.add(code);
  log('warning:', code);
};

export const isTrackedHost = (): boolean => {
  const domain = config.websiteDomain;
  return domain !== null && `.${location.hostname}`.endsWith(`.${domain}`);
};

/** Removes these parameters from the address bar and leaves the others as they are written. */
export const cleanAddress = (names: readonly string[]): void =>
  attempt(
    () => {
      const pairs = readQuery().split('&');
      const kept = pairs.filter((pair) => !names.includes(pair.split('=')[0] ?? '')).join('&');
      const { origin, pathname, hash } = location;
      history.replaceState(history.state, '', `${origin}${pathname}${kept && `?${kept}`}${hash}`);
    },
    () => warn('cleanup_failed'),
  );
