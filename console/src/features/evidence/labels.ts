import type { RetentionKeeper } from '../../generated/operations.ts';
import { createFieldLabels, createLabelOr, createLabels, listText } from '../../lib/i18n.ts';
import artifacts from '../../messages/artifacts.json' with { type: 'json' };
import bundles from '../../messages/bundles.json' with { type: 'json' };
import evidence from '../../messages/evidence.json' with { type: 'json' };

const all = { ...artifacts, ...bundles, ...evidence };

export const t = createLabels(all);
export const labelOr = createLabelOr(all);
export const field = createFieldLabels(all);

/** Reasons that keep an artifact, as a list. */
export const keepersText = (keptBy: readonly RetentionKeeper[]): string =>
  listText(keptBy.map((keeper) => t(`retention.keeper.${keeper}`)));
