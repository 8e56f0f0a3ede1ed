import { createLabelOr, createLabels } from '../../lib/i18n.ts';
import policies from '../../messages/policies.json' with { type: 'json' };

export const t = createLabels(policies);
export const labelOr = createLabelOr(policies);
