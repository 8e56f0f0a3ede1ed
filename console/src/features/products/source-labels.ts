import { createFieldLabels, createLabels } from '../../lib/i18n.ts';
import sources from '../../messages/sources.json' with { type: 'json' };

/** Translates the messages of release sources, which have a file of their own. */
export const t = createLabels(sources);
export const field = createFieldLabels(sources);
