import common from '../messages/search-common.json' with { type: 'json' };
import { createLabelOr, createLabels } from './i18n.ts';

export const searchLabel = createLabels(common);

/** Label of a card's entity type; a type of a newer server is its own label. */
export const typeName = (entityType: string): string => searchLabelOr(`search.type.${entityType}`, entityType);

const searchLabelOr = createLabelOr(common);
