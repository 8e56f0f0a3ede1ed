import { createLabelOr, createLabels } from '../../lib/i18n.ts';
import deployments from '../../messages/deployments.json' with { type: 'json' };

/** The words of these pages, which come with their code. */
export const t = createLabels(deployments);
export const labelOr = createLabelOr(deployments);
