import { createLabelOr, createLabels } from '../../lib/i18n.ts';
import deployments from '../../messages/deployments.json' with { type: 'json' };

export const t = createLabels(deployments);
export const labelOr = createLabelOr(deployments);
