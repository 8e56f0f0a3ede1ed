/** Parts of the module for benches and tests of the product. */
// biome-ignore lint/performance/noBarrelFile: nothing of the product imports it.
export { AT_ONCE } from '../deliveries/in-flight.ts';
export { insertAll as insertEvents } from '../events/events.store.ts';
