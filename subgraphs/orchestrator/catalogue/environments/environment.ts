import * as store from './environments.store.ts';

export const { find, get, getLocked, list, listByIds, listUses, notFound } = store;
export type Environment = store.Environment;
export type EnvironmentId = store.EnvironmentId;
