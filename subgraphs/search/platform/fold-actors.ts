import type { Event } from '@landfall/kernel/events/read';
import type { EntityIndex } from './entity-index.ts';
import { textIn } from './event-data.ts';

/** Longest name that a line has room for. */
const MAX_NAME = 60;

/** Excludes sign-ins, sessions, passwords and invitations: only names are projected. */
export const isActorEvent = (type: string): boolean =>
  /^(user\.(create|update|deactivate|reactivate|delete)|client\.(create|update|deactivate))$/.test(type);

/** Part of an address before the `@`, since a user name may be an address. */
const displayName = (name: string): string => (name.replace(/@.*$/su, '') || name).slice(0, MAX_NAME).toWellFormed();

/** Folds the names of people and clients, shown only in decisions. A deletion removes the name. */
export const foldActor = (entities: EntityIndex, { entity, type, entityId: id, data }: Event): void => {
  const kind = entity === 'User' ? 'User' : 'Client';
  const before = entities.find(kind, id);
  if (type === 'user.delete') entities.remove(kind, id);
  else {
    const name = textIn(data, kind === 'User' ? 'username' : 'name');
    const actorName = name === undefined ? before?.name : kind === 'User' ? displayName(name) : name.slice(0, MAX_NAME);
    if (actorName === undefined) return;
    const isStopped = type === 'user.deactivate' || type === 'client.deactivate';
    const isActive = type === 'user.reactivate' || (!isStopped && (before?.isActive ?? true));
    entities.set(kind, id, { name: actorName, isActive });
  }
  const after = entities.find(kind, id);
  if (before?.name !== after?.name || before?.isActive !== after?.isActive) entities.rename({ kind, id });
};
