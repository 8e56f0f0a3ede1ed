import { createLabels } from '../../lib/i18n.ts';
import inbox from '../../messages/inbox.json' with { type: 'json' };

export const t = createLabels(inbox);
