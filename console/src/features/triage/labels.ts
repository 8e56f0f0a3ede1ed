import { createLabels } from '../../lib/i18n.ts';
import decisions from '../../messages/decisions.json' with { type: 'json' };
import triage from '../../messages/triage.json' with { type: 'json' };

export const t = createLabels({ ...triage, ...decisions });
