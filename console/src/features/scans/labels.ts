import { createLabelOr, createLabels } from '../../lib/i18n.ts';
import common from '../../messages/scan-common.json' with { type: 'json' };
import scans from '../../messages/scans.json' with { type: 'json' };

const labels = { ...common, ...scans };

export const t = createLabels(labels);
export const labelOr = createLabelOr(labels);
