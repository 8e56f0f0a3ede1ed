import common from '../messages/search-common.json' with { type: 'json' };
import { createLabelOr, createLabels } from './i18n.ts';

/** The words of what search finds, which come with the parts that show it. */
export const searchLabel = createLabels(common);

/** Label of a card's entity type; a type of a newer server is shown as it is spelt. */
export const typeName = (entityType: string): string => searchLabelOr(`search.type.${entityType}`, entityType);

const searchLabelOr = createLabelOr(common);
