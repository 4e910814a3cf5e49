import { LocalStackError } from '../stack/local-stack-error.ts';
import { findFreePort, findPortProblem, portNote } from '../stack/ports.ts';

export interface SystemPorts {
  api: number;
  health: number;
  apiMetrics: number;
  workerMetrics: number;
  sandbox: number;
  paypal: number;
}

export const USUAL_API_PORT = 3_000;
export const USUAL_RECEIVER_PORT = 3_500;

/** A port that was asked for is not replaced by another. */
export const chooseApiPort = async (wanted: number | null, log: (line: string) => void): Promise<number> => {
  if (wanted === null) {
    const port = await findFreePort(USUAL_API_PORT);
    if (port !== USUAL_API_PORT) log(`The API takes port ${port}${portNote(port, USUAL_API_PORT)}; --port chooses another`);
    return port;
  }
  const problem = await findPortProblem(wanted);
  if (problem === null) return wanted;
  throw new LocalStackError(
    `${explainPortProblem(wanted, problem)} Choose another one with --port; without --port, the next free one is taken.`,
  );
};

const explainPortProblem = (port: number, problem: string): string => {
  if (problem === 'EADDRINUSE') return `Port ${port} is in use.`;
  if (problem === 'EACCES') return `This user may not listen on port ${port}.`;
  return `Port ${port} cannot be used (${problem}).`;
};

/** The usual ports beside that of the API, or the next free ones. */
export const choosePorts = async (api: number): Promise<SystemPorts> => ({
  api,
  health: await findFreePort(3001, [api]),
  apiMetrics: await findFreePort(9464, [api]),
  workerMetrics: await findFreePort(9465, [api]),
  sandbox: await findFreePort(3400, [api]),
  paypal: await findFreePort(3401, [api]),
});
