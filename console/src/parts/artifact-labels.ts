import { createLabels } from '../lib/i18n.ts';
import artifacts from '../messages/artifacts.json' with { type: 'json' };

export const t = createLabels(artifacts);
