import { createLabels } from '../lib/i18n.ts';
import trustedTime from '../messages/trusted-time.json' with { type: 'json' };

export const t = createLabels(trustedTime);
