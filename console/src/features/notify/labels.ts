import { createFieldLabels, createLabelOr, createLabels } from '../../lib/i18n.ts';
import notify from '../../messages/notify.json' with { type: 'json' };

export const t = createLabels(notify);
export const labelOr = createLabelOr(notify);
export const field = createFieldLabels(notify);
