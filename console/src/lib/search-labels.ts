import found from '../messages/found.json' with { type: 'json' };
import { createLabelOr, createLabels } from './i18n.ts';

/** The words of what search finds, which come with the parts that show it. */
export const searchLabel = createLabels(found);

/** Label of a card's entity type; a type of a newer server is shown as it is spelt. */
export const typeName = (entityType: string): string => foundWordsOr(`search.type.${entityType}`, entityType);

const foundWordsOr = createLabelOr(found);
