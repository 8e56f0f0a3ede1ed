import type { AdaptersContext } from './adapters/resolvers.ts';
import type { CorpusContext } from './imports/resolvers.ts';
import type { QualityContext } from './quality/resolvers.ts';
import type { QueryContext } from './query/resolvers.ts';

export interface Context extends QueryContext, QualityContext, CorpusContext, AdaptersContext {}
