export { eraseConnections } from './erase-connections.steps.ts';
export { hearPayeeOnEvent } from './payee-state.steps.ts';
