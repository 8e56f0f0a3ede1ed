/** Parts of the module for benches. */
// biome-ignore lint/performance/noBarrelFile: nothing of the product imports it.
export { insertAll as insertEvents } from '../events/events.store.ts';
