import { createLabelOr, createLabels } from '../../lib/i18n.ts';
import deploy from '../../messages/deploy.json' with { type: 'json' };

/** The words of these pages, which come with their code. */
export const t = createLabels(deploy);
export const labelOr = createLabelOr(deploy);
