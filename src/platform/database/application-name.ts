/** The connections of a worker with the role `relay` have this name in `pg_stat_activity`. */
export const RELAY_APPLICATION_NAME = 'tributary-worker-relay';
