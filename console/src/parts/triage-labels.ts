import { createLabels } from '../lib/i18n.ts';
import triage from '../messages/triage.json' with { type: 'json' };

/** Messages of a decision, which the page of a scan and the page of the decisions show. */
export const t = createLabels(triage);
