import * as store from './environments.store.ts';

export const { find, get, list, listByIds, listUses, lockExclusively, lockShared, notFound } = store;
export type Environment = store.Environment;
export type EnvironmentId = store.EnvironmentId;
