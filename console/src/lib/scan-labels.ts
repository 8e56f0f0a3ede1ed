import common from '../messages/scan-common.json' with { type: 'json' };
import { createLabels } from './i18n.ts';

export const scanLabel = createLabels(common);
