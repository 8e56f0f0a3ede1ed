import { createLabelOr, createLabels } from '../../lib/i18n.ts';
import deploy from '../../messages/deploy.json' with { type: 'json' };

export const t = createLabels(deploy);
export const labelOr = createLabelOr(deploy);
