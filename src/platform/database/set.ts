/** Unlike `Object.assign`, the compiler checks the columns and their values. */
export const set = <Entity extends object>(entity: Entity, patch: Partial<Entity>): void => {
  Object.assign(entity, patch);
};
