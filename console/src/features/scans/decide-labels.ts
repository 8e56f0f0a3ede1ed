import { createFieldLabels, createLabels } from '../../lib/i18n.ts';
import decide from '../../messages/decide.json' with { type: 'json' };
import triage from '../../messages/triage.json' with { type: 'json' };

const labels = { ...triage, ...decide };

/** Messages of the dialog that decides about a finding; they are loaded with it. */
export const t = createLabels(labels);
export const field = createFieldLabels(labels);
