import comparison from '../messages/comparison.json' with { type: 'json' };
import { createLabelOr, createLabels } from './i18n.ts';

export const comparisonLabel = createLabels(comparison);
export const comparisonLabelOr = createLabelOr(comparison);
