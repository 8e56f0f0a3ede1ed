import { createFieldLabels, createLabels } from '../../lib/i18n.ts';
import vex from '../../messages/vex.json' with { type: 'json' };

export const t = createLabels(vex);
export const field = createFieldLabels(vex);
