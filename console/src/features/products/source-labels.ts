import { createFieldLabels, createLabels } from '../../lib/i18n.ts';
import sources from '../../messages/sources.json' with { type: 'json' };

/** Messages of release sources, which are as many as those of the rest of the feature. */
export const t = createLabels(sources);
export const field = createFieldLabels(sources);
