import { createFieldLabels, createLabelOr, createLabels } from '../../lib/i18n.ts';
import airgap from '../../messages/airgap.json' with { type: 'json' };

export const t = createLabels(airgap);
export const labelOr = createLabelOr(airgap);
export const field = createFieldLabels(airgap);
