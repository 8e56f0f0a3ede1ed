import type { QualityContext } from './quality/resolvers.ts';

/** What a resolver of this module has: one request's. */
export interface Context extends QualityContext {}
