import { createLabels } from '../../lib/i18n.ts';
import audit from '../../messages/audit.json' with { type: 'json' };

/** Label of an entity type; an unknown type is its own label. */
export const entityLabel = (entity: string): string => names.get(`entity.${entity}`) ?? entity;

const names: ReadonlyMap<string, string> = new Map(Object.entries(audit));

export const t = createLabels(audit);
